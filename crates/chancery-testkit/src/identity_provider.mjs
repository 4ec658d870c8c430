// An OpenID Connect provider (oidc-provider, by panva) for tests. It says what tests want in its tokens: header fields of the
// token request name further claims, how long a token lives, and how it is signed. Each request is a line of output.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [tools, port, chain, kid, redirectUri] = process.argv.slice(2);
const found = createRequire(`${tools}/node_modules/`).resolve("oidc-provider");
const { default: Provider } = await import(pathToFileURL(found).href);

/** @param {"rsa" | "ec"} kind @param {string} alg */
function key(kind, alg) {
  const options = kind === "rsa" ? { modulusLength: 2048 } : { namedCurve: "P-256" };
  const encoding = { publicKeyEncoding: { format: "jwk" }, privateKeyEncoding: { format: "jwk" } };
  const { privateKey } = generateKeyPairSync(kind, { ...options, ...encoding });
  return { ...privateKey, alg, use: "sig", kid: `${kid}-${alg}` };
}

const workload = (id) => ({
  client_id: id,
  client_secret: "a secret of the provider",
  grant_types: ["client_credentials"],
  redirect_uris: [],
  response_types: [],
});

/** A client by which people log in, where a test says where they go back to. */
const people = (id, authentication) => ({
  client_id: id,
  ...(authentication === "none" ? {} : { client_secret: "a secret of the provider" }),
  token_endpoint_auth_method: authentication,
  grant_types: ["authorization_code"],
  redirect_uris: [redirectUri],
  response_types: ["code"],
});

const ofPeople = redirectUri ? [people("kms", "client_secret_basic"), people("kms-public", "none")] : [];

const provider = new Provider(`https://localhost:${port}`, {
  jwks: { keys: [key("rsa", "RS256"), key("ec", "ES256")] },
  cookies: { keys: ["of this test"] },
  clients: [workload("workload-1"), workload("workload-2"), ...ofPeople],
  extraTokenClaims: (ctx) => JSON.parse(ctx.get("x-claims") || "{}"),
  features: {
    devInteractions: { enabled: Boolean(redirectUri) },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (ctx, audience) => ({
        audience,
        scope: "",
        accessTokenFormat: "jwt",
        accessTokenTTL: Number(ctx.get("x-ttl") || 300),
        jwt: { sign: { alg: ctx.get("x-alg") || "RS256" } },
      }),
    },
  },
});

const answer = provider.callback();
const pem = readFileSync(chain);
const server = createServer({ key: pem, cert: pem }, (request, response) => {
  process.stdout.write(`${request.method} ${request.url}\n`);
  if (request.url?.startsWith("/elsewhere/")) {
    response.writeHead(302, { location: "/.well-known/openid-configuration" }).end();
    return;
  }
  answer(request, response);
});
server.listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"));
