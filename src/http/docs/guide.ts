/** From registration to the first list, with only a shell and a browser. `it.baseUrl` is the public address. */
export const guide = `<p>An add-on is registered by the operator, who gives it a <code>client_id</code> and knows its redirect URIs. Libraries do all of this; here are the steps by hand.</p>
<ol class="steps">
<li><h3>Make a verifier and its challenge</h3>
<p>The verifier stays with you; only its digest travels through the browser.</p>
<pre tabindex="0"><code>CODE_VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$CODE_VERIFIER" | openssl dgst -sha256 -binary \\
  | openssl base64 | tr '+/' '-_' | tr -d '=')
STATE=$(openssl rand -hex 16)</code></pre></li>
<li><h3>Send the user’s browser here</h3>
<p>Redirect to this address; here it is printed to be opened by hand.</p>
<pre tabindex="0"><code>CLIENT_ID=…
REDIRECT_URI=https://addon.example/callback
echo "<%= it.baseUrl %>/oauth/authorize\\
?response_type=code&amp;client_id=$CLIENT_ID&amp;redirect_uri=$REDIRECT_URI\\
&amp;scope=profiles:read&amp;state=$STATE\\
&amp;code_challenge=$CHALLENGE&amp;code_challenge_method=S256"</code></pre>
<p>For an organization its administrator activates the add-on first, and the browser then comes to the add-on’s configuration URL, with <code>activation_hint</code>, which proves nothing. Redirect it here from there: for ten minutes the organization is preselected.</p></li>
<li><h3>Take the code</h3>
<p>The user signs in and allows it, and the browser comes to your redirect URI with <code>code</code>, <code>state</code> and <code>iss</code>. Continue only if <code>state</code> is the one that you sent and <code>iss</code> is <code><%= it.issuer %></code>. If there is <code>error</code> instead of <code>code</code>, access was not granted.</p></li>
<li><h3>Exchange it within a minute</h3>
<pre tabindex="0"><code>CODE=…
curl "<%= it.baseUrl %>/oauth/token" \\
  -d grant_type=authorization_code \\
  -d "client_id=$CLIENT_ID" \\
  --data-urlencode "code=$CODE" \\
  --data-urlencode "redirect_uri=$REDIRECT_URI" \\
  --data-urlencode "code_verifier=$CODE_VERIFIER"</code></pre></li>
<li><h3>Call, and refresh</h3>
<pre tabindex="0"><code>ACCESS_TOKEN=…
curl "<%= it.baseUrl %>/profiles" -H "Authorization: Bearer $ACCESS_TOKEN"</code></pre>
<p>When the answer is 401 <a href="<%= it.base %>/problems/token-expired"><code>token-expired</code></a>, refresh, and keep the new refresh token in place of the old one:</p>
<pre tabindex="0"><code>curl "<%= it.baseUrl %>/oauth/token" \\
  -d grant_type=refresh_token \\
  -d "client_id=$CLIENT_ID" \\
  --data-urlencode "refresh_token=$REFRESH_TOKEN"</code></pre></li>
</ol>
`;
