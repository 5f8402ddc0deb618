import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.auth.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.*;
import com.nimbusds.openid.connect.sdk.*;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Map;
import net.minidev.json.JSONObject;

/** An add-on with the Nimbus OAuth 2.0 SDK: see ../other-languages.system.test.ts. */
public final class Nimbus {
  private static final Map<String, String> env = System.getenv();
  private static final ClientID clientId = new ClientID(env.get("CLIENT_ID"));
  private static OIDCProviderMetadata provider;

  public static void main(String[] args) throws Exception {
    provider = OIDCProviderMetadata.resolve(new Issuer(env.get("ISSUER")));
    URI redirectUri = URI.create(env.get("REDIRECT_URI"));
    CodeVerifier verifier = new CodeVerifier();
    State state = new State();
    Nonce nonce = new Nonce();
    var request =
        new AuthenticationRequest.Builder(
                ResponseType.CODE, new Scope("openid", "profile", "email", "profiles:read"), clientId, redirectUri)
            .endpointURI(provider.getAuthorizationEndpointURI())
            .state(state)
            .nonce(nonce)
            .codeChallenge(verifier, CodeChallengeMethod.S256);
    if (env.containsKey("ORGANIZATION_ID"))
      request.customParameter("organization", env.get("ORGANIZATION_ID"));
    System.out.println(request.build().toURI());

    URI back = URI.create(new BufferedReader(new InputStreamReader(System.in)).readLine());
    AuthenticationSuccessResponse answer = AuthenticationResponseParser.parse(back).toSuccessResponse();
    if (!state.equals(answer.getState()) || !provider.getIssuer().equals(answer.getIssuer()))
      throw new IllegalStateException("another state, or another issuer");
    TokenResponse issued =
        ask(new AuthorizationCodeGrant(answer.getAuthorizationCode(), redirectUri, verifier));
    var answered = (OIDCTokenResponse) issued.toSuccessResponse();
    var tokens = answered.getOIDCTokens();
    var idToken =
        new IDTokenValidator(
                provider.getIssuer(),
                clientId,
                com.nimbusds.jose.JWSAlgorithm.RS256,
                provider.getJWKSetURI().toURL(),
                // Its own default, half a second, is too short for a busy machine.
                new com.nimbusds.jose.util.DefaultResourceRetriever(60_000, 60_000))
            .validate(tokens.getIDToken(), nonce);
    var person =
        UserInfoResponse.parse(
                new UserInfoRequest(provider.getUserInfoEndpointURI(), tokens.getBearerAccessToken())
                    .toHTTPRequest()
                    .send())
            .toSuccessResponse()
            .getUserInfo();

    JSONObject organization = new JSONObject();
    organization.put("token", answered.getCustomParameters().get("organization_id"));
    organization.put("id_token", idToken.getStringClaim("organization_id"));
    organization.put("userinfo", person.getStringClaim("organization_id"));
    if (proof() != null)
      organization.put(
          "introspection",
          TokenIntrospectionResponse.parse(
                  new TokenIntrospectionRequest(
                          provider.getIntrospectionEndpointURI(), proof(), tokens.getAccessToken())
                      .toHTTPRequest()
                      .send())
              .toSuccessResponse()
              .getStringParameter("organization_id"));
    var refreshed =
        ask(new RefreshTokenGrant(tokens.getRefreshToken())).toSuccessResponse().getTokens();
    revoke(refreshed.getRefreshToken());
    TokenResponse refused =
        ask(new AuthorizationCodeGrant(new AuthorizationCode("mkt_code_unknown"), redirectUri, verifier));

    JSONObject report = new JSONObject();
    report.put("scope", tokens.getAccessToken().getScope().toString());
    report.put("subject", idToken.getSubject().getValue());
    report.put("email", person.getEmailAddress());
    report.put("token", tokens.getAccessToken().getValue());
    report.put("refreshed", refreshed.getAccessToken().getValue());
    report.put("revoked", true);
    report.put("refusal", refused.toErrorResponse().getErrorObject().getCode());
    report.put("organization", organization);
    System.out.println(report.toJSONString());
  }

  /** Null for a public add-on. */
  private static ClientAuthentication proof() {
    Secret secret = new Secret(env.get("CLIENT_SECRET"));
    return switch (env.get("AUTHENTICATION")) {
      case "client_secret_basic" -> new ClientSecretBasic(clientId, secret);
      case "client_secret_post" -> new ClientSecretPost(clientId, secret);
      default -> null;
    };
  }

  private static TokenResponse ask(AuthorizationGrant grant) throws Exception {
    URI endpoint = provider.getTokenEndpointURI();
    TokenRequest request =
        proof() == null
            ? new TokenRequest(endpoint, clientId, grant)
            : new TokenRequest(endpoint, proof(), grant);
    return OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
  }

  private static void revoke(Token token) throws Exception {
    URI endpoint = provider.getRevocationEndpointURI();
    TokenRevocationRequest request =
        proof() == null
            ? new TokenRevocationRequest(endpoint, clientId, token)
            : new TokenRevocationRequest(endpoint, proof(), token);
    request.toHTTPRequest().send().ensureStatusCode(200);
  }
}
