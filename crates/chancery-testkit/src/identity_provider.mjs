// An OpenID Connect provider (oidc-provider, by panva) for tests. It says what tests want in its tokens: header fields of the
// token request name further claims, how long a token lives, and how it is signed. Each request is a line of output, after
// one that says where it listens: at a port, or with 0 at any. Its certificate is `provider.pem` in the folder.
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [tools, port, folder, kid, redirectUri] = process.argv.slice(2);
const found = createRequire(`${tools}/node_modules/`).resolve("oidc-provider");
const { default: Provider } = await import(pathToFileURL(found).href);

const [privateKey, certificate] = [`${folder}/provider.key`, `${folder}/provider.pem`];
if (!existsSync(certificate)) {
  const of = ["-subj", "/CN=an identity provider", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-addext", "basicConstraints=critical,CA:FALSE"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...of, "-days", "2", "-keyout", privateKey, "-out", certificate], { stdio: "pipe" });
}
const server = createServer({ key: readFileSync(privateKey), cert: readFileSync(certificate) });
await new Promise((listening) => server.listen(Number(port), "127.0.0.1", listening));

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

const provider = new Provider(`https://localhost:${server.address().port}`, {
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
server.on("request", (request, response) => {
  process.stdout.write(`${request.method} ${request.url}\n`);
  if (request.url?.startsWith("/elsewhere/")) {
    response.writeHead(302, { location: "/.well-known/openid-configuration" }).end();
    return;
  }
  answer(request, response);
});
process.stdout.write(`listening at ${provider.issuer}\n`);
