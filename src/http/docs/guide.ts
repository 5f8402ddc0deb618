type About = { readonly baseUrl: string; readonly issuer: string };

/** From registration to the first list, with only a shell and a browser: Markdown, in the document's introduction. */
export const guide = ({ baseUrl, issuer }: About): string => `## A token in five steps

An add-on is registered by the operator, who gives it a \`client_id\` and knows its redirect URIs. Libraries do all of this; here are the steps by hand.

### 1. Make a verifier and its challenge

The verifier stays with you; only its digest travels through the browser.

\`\`\`sh
CODE_VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$CODE_VERIFIER" | openssl dgst -sha256 -binary \\
  | openssl base64 | tr '+/' '-_' | tr -d '=')
STATE=$(openssl rand -hex 16)
\`\`\`

### 2. Send the user’s browser here

Redirect to this address; here it is printed to be opened by hand.

\`\`\`sh
CLIENT_ID=…
REDIRECT_URI=https://addon.example/callback
echo "${baseUrl}/oauth/authorize\\
?response_type=code&client_id=$CLIENT_ID&redirect_uri=$REDIRECT_URI\\
&scope=profiles:read&state=$STATE\\
&code_challenge=$CHALLENGE&code_challenge_method=S256"
\`\`\`

For an organization its administrator activates the add-on first, and the browser then comes to the add-on’s configuration URL, with \`activation_hint\`, which proves nothing, and \`organization\`. Redirect it here from there, with the same \`organization\`: then only that one can be chosen. \`subject=user\` asks for the user’s own records instead.

### 3. Take the code

The user signs in and allows it, and the browser comes to your redirect URI with \`code\`, \`state\` and \`iss\`. Continue only if \`state\` is the one that you sent and \`iss\` is \`${issuer}\`. If there is \`error\` instead of \`code\`, access was not granted.

### 4. Exchange it within a minute

\`\`\`sh
CODE=…
curl "${baseUrl}/oauth/token" \\
  -d grant_type=authorization_code \\
  -d "client_id=$CLIENT_ID" \\
  --data-urlencode "code=$CODE" \\
  --data-urlencode "redirect_uri=$REDIRECT_URI" \\
  --data-urlencode "code_verifier=$CODE_VERIFIER"
\`\`\`

### 5. Call, and refresh

\`\`\`sh
ACCESS_TOKEN=…
curl "${baseUrl}/profiles" -H "Authorization: Bearer $ACCESS_TOKEN"
\`\`\`

When the answer is 401 [\`token-expired\`](${baseUrl}/problems/token-expired), refresh, and keep the new refresh token in place of the old one:

\`\`\`sh
curl "${baseUrl}/oauth/token" \\
  -d grant_type=refresh_token \\
  -d "client_id=$CLIENT_ID" \\
  --data-urlencode "refresh_token=$REFRESH_TOKEN"
\`\`\``;
