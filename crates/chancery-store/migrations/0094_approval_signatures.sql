-- What a passkey signed of an approval, for each identity in whose name it was given. They stay when passkeys and identities go.
CREATE TABLE approval_signatures (
    -- A signing request or a proposal.
    subject_id TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    -- The version of the subject that the approval made.
    version BIGINT NOT NULL,
    statement TEXT NOT NULL,
    passkey_id TEXT NOT NULL,
    credential_id BYTEA NOT NULL,
    public_key BYTEA NOT NULL,
    client_data BYTEA NOT NULL,
    authenticator_data BYTEA NOT NULL,
    signature BYTEA NOT NULL,
    mac BYTEA,
    PRIMARY KEY (subject_id, identity_id)
);
