// A passkey in software: what a browser would answer.

import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

import type { types } from "../src/index.js";

const ES256 = -7;
const PRESENT_AND_VERIFIED = 0x05;
const ATTESTED = 0x40;

const sha256 = (octets: string | Uint8Array) => createHash("sha256").update(octets).digest();

/** A text string of CBOR (RFC 8949), of less than 24 characters. */
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** A byte string of CBOR, of 24 to 255 bytes. */
const cborBytes = (octets: Uint8Array) => Buffer.concat([Buffer.from([0x58, octets.length]), octets]);

/** One passkey, of a browser that is at this origin. */
export class Authenticator {
  readonly #origin: string;
  readonly #key: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #id = randomBytes(20);
  #count = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The new passkey. */
  create({ publicKey: asked }: types.PasskeyBegun): types.RegistrationCredential {
    assert(asked.pubKeyCredParams.some(({ alg }) => alg === ES256));
    const { x, y } = this.#key.publicKey.export({ format: "jwk" });
    assert(x && y);
    const [xOctets, yOctets] = [cborBytes(Buffer.from(x, "base64url")), cborBytes(Buffer.from(y, "base64url"))];
    // COSE_Key: kty EC2, alg ES256, crv P-256, x, y.
    const key = Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), xOctets, Buffer.from([0x22]), yOctets]);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]);
    const data = cborBytes(Buffer.concat([this.#data(asked.rp.id, ATTESTED), attested]));
    const statement = Buffer.concat([cborText("attStmt"), Buffer.from([0xa0])]);
    const format = Buffer.concat([cborText("fmt"), cborText("none")]);
    const attestationObject = Buffer.concat([Buffer.from([0xa3]), format, statement, cborText("authData"), data]);
    const clientData = this.#clientData("webauthn.create", asked.challenge);
    const response = { clientDataJSON: clientData.toString("base64url"), attestationObject: attestationObject.toString("base64url") };
    return { id: this.#id.toString("base64url"), response };
  }

  /** One member's part of an approval. */
  sign({ publicKey: asked, ticket }: types.ApprovalStatement): types.ApprovalAssertion {
    const id = this.#id.toString("base64url");
    assert(asked.allowCredentials.some((one) => one.id === id));
    this.#count += 1;
    const [data, clientData] = [this.#data(asked.rpId), this.#clientData("webauthn.get", asked.challenge)];
    const signature = sign("sha256", Buffer.concat([data, sha256(clientData)]), this.#key.privateKey);
    const response = {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: signature.toString("base64url"),
    };
    return { ticket, credential: { id, response } };
  }

  #data(rpId: string, more = 0): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#count);
    return Buffer.concat([sha256(rpId), Buffer.from([PRESENT_AND_VERIFIED | more]), count]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }
}
