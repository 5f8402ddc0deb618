import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.scribejava.core.builder.ServiceBuilder;
import com.github.scribejava.core.builder.api.DefaultApi20;
import com.github.scribejava.core.model.OAuth2AccessToken;
import com.github.scribejava.core.model.OAuth2AccessTokenErrorResponse;
import com.github.scribejava.core.model.OAuthRequest;
import com.github.scribejava.core.model.Verb;
import com.github.scribejava.core.oauth.AccessTokenRequestParams;
import com.github.scribejava.core.oauth.OAuth20Service;
import com.github.scribejava.core.oauth2.clientauthentication.ClientAuthentication;
import com.github.scribejava.core.oauth2.clientauthentication.HttpBasicAuthenticationScheme;
import com.github.scribejava.core.oauth2.clientauthentication.RequestBodyAuthenticationScheme;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.UUID;

/** An add-on with ScribeJava: see ../other-languages.system.test.ts. */
public final class Scribe extends DefaultApi20 {
  private static final Map<String, String> env = System.getenv();

  @Override
  public String getAccessTokenEndpoint() {
    return env.get("ISSUER") + "/oauth/token";
  }

  @Override
  protected String getAuthorizationBaseUrl() {
    return env.get("ISSUER") + "/oauth/authorize";
  }

  @Override
  public String getRevokeTokenEndpoint() {
    return env.get("ISSUER") + "/oauth/revoke";
  }

  @Override
  public ClientAuthentication getClientAuthentication() {
    return env.get("AUTHENTICATION").equals("client_secret_basic")
        ? HttpBasicAuthenticationScheme.instance()
        : RequestBodyAuthenticationScheme.instance();
  }

  public static void main(String[] args) throws Exception {
    ServiceBuilder builder = new ServiceBuilder(env.get("CLIENT_ID"));
    if (!env.get("CLIENT_SECRET").isEmpty()) builder.apiSecret(env.get("CLIENT_SECRET"));
    try (OAuth20Service service =
        builder
            .defaultScope("openid profile email profiles:read")
            .callback(env.get("REDIRECT_URI"))
            .build(new Scribe())) {
      String state = UUID.randomUUID().toString();
      var link = service.createAuthorizationUrlBuilder().state(state).initPKCE();
      if (env.containsKey("ORGANIZATION_ID"))
        link.additionalParams(Map.of("organization", env.get("ORGANIZATION_ID")));
      System.out.println(link.build());

      String back = new BufferedReader(new InputStreamReader(System.in)).readLine();
      var answer = service.extractAuthorization(back);
      if (!state.equals(answer.getState())) throw new IllegalStateException("another state");
      String verifier = link.getPkce().getCodeVerifier();
      OAuth2AccessToken tokens =
          service.getAccessToken(
              AccessTokenRequestParams.create(answer.getCode()).pkceCodeVerifier(verifier));
      OAuthRequest asking = new OAuthRequest(Verb.GET, env.get("ISSUER") + "/oauth/userinfo");
      service.signRequest(tokens, asking);
      ObjectMapper json = new ObjectMapper();
      var person = json.readTree(service.execute(asking).getBody());
      OAuth2AccessToken refreshed = service.refreshAccessToken(tokens.getRefreshToken());
      service.revokeToken(refreshed.getRefreshToken());
      String refusal = null;
      try {
        service.getAccessToken(
            AccessTokenRequestParams.create("mkt_code_unknown").pkceCodeVerifier(verifier));
      } catch (OAuth2AccessTokenErrorResponse error) {
        refusal = error.getError().getErrorString();
      }
      System.out.println(
          json.createObjectNode()
              .put("scope", tokens.getScope())
              .put("subject", person.get("sub").asText())
              .put("email", person.get("email").asText())
              .put("token", tokens.getAccessToken())
              .put("refreshed", refreshed.getAccessToken())
              .put("revoked", true)
              .put("refusal", refusal)
              .set(
                  "organization",
                  json.createObjectNode()
                      .<ObjectNode>set(
                          "token", json.readTree(tokens.getRawResponse()).get("organization_id"))
                      .set("userinfo", person.get("organization_id"))));
    }
  }
}
