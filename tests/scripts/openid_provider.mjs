// A provider of sign-ins for tests: prints its address. Whoever signs in is whom they say; `GROUPS` of their name follow a colon.
// Arguments: the address that it leads back to, and the secret of its one client.

import { createServer } from "node:http";
import Provider from "oidc-provider";

const [back, secret] = process.argv.slice(2);
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "archive",
      client_secret: secret,
      redirect_uris: [`${back}/openid/callback`],
      post_logout_redirect_uris: [`${back}/login`],
      token_endpoint_auth_method: "client_secret_post",
    }],
    claims: { openid: ["sub"], profile: ["name", "preferred_username", "groups"], email: ["email"] },
    conformIdTokenClaims: true,
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_, id) => ({ accountId: id, claims: () => claimsOf(id) }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});

/** @param {string} id */
function claimsOf(id) {
  const [name, groups = ""] = id.split(":");
  return { sub: id, name: `${name} Elsewhere`, preferred_username: name, groups: groups.split(","), email: `${name}@example.org` };
}
