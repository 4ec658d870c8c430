//! What bounds a caller and could be set otherwise, with its reason. All can be set in the configuration; these are the
//! defaults.

mod lists;
mod logins;
mod pre_approvals;

use std::time::Duration;

pub use self::{lists::ListLimits, logins::LoginLimits, pre_approvals::PreApprovalLimits};

/// The limits of an installation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a signing request's body: 64 MiB of payload in base64, and some JSON around it.
    pub signing_body_max: usize,
    /// Bytes of a signing request's payload. Larger files are signed by their digest.
    pub payload_max: usize,
    /// Bytes of a batch's body: 100,000 values of some 300 bytes.
    pub batch_body_max: usize,
    /// Bytes of the body of a preview: 20 samples of a few KiB.
    pub preview_body_max: usize,
    /// Samples of a preview.
    pub preview_samples_max: usize,
    /// Previews of one identity in a minute: each makes a key and prepares ciphers, and is there for a person to look at.
    pub previews_per_minute: u32,
    /// Bytes of any other body.
    pub body_max: usize,
    /// What bodies hold while they come.
    pub bodies: BodyLimits,
    /// Values of a batch; more gains nothing, since the cost is linear.
    pub batch_values_max: usize,
    /// Work of a batch in units of about 10 ns (a card number is some 25), so that no call holds a core for more than a
    /// second or so.
    pub batch_work_max: usize,
    /// Bytes of a single value.
    pub value_max: usize,
    /// Symbols of a value under FF1, whose cost grows with the square of the length.
    pub ff1_symbols_max: usize,
    /// Characters of a pattern: room for some alphabets of one's own.
    pub pattern_max: usize,
    /// Bytes of a track: both tracks with sentinels are 79 + 40 characters.
    pub track_max: usize,
    /// Characters of a name.
    pub name_max: usize,
    /// Bytes of a note.
    pub note_max: usize,
    /// Characters of a program's address, which Windows shows: what browsers take.
    pub program_url_max: usize,
    /// Approvals that a policy may demand.
    pub approvals_max: u32,
    /// What is approved beforehand.
    pub pre_approvals: PreApprovalLimits,
    /// Grants to detokenize in full.
    pub grants: GrantLimits,
    /// Items of a manifest: 10,000 RSA signatures take some ten seconds, and their CMS some 50 MB.
    pub manifest_items_max: usize,
    /// Signing requests that are decided on in one call: a thousand RSA signatures take some seconds.
    pub decisions_max: usize,
    /// Roles, patterns or steps of one rule of a signing policy.
    pub rule_items_max: usize,
    /// Bytes of the metadata of a token or of a signing request, as JSON: it is kept with each.
    pub metadata_max: usize,
    /// Control Rules of one token profile.
    pub control_rules_max: usize,
    /// Bytes of a PKCS#10 request: one with 250 names and an ML-DSA-87 key has some 20 KiB.
    pub csr_max: usize,
    /// For imports.
    pub imports: ImportLimits,
    /// Certificate profiles of an installation, which are listed whole.
    pub cert_profiles_max: u32,
    /// Entries of each list in a certificate profile.
    pub cert_profile_entries_max: usize,
    /// Key versions that one token profile reads: each is a prepared cipher in memory.
    pub profile_versions_max: u32,
    /// Certificates of one name that are stored in a day, so that one client in a loop cannot fill the store. A fleet of
    /// forty machines that share a name may each renew every hour.
    pub certificates_per_name_max: u32,
    /// Items of a page, and of a stubs call that asks for no page.
    pub page_size_max: u32,
    /// Items of a list that is asked for without paging.
    pub list_max: u32,
    /// What lists cost, and what they show.
    pub lists: ListLimits,
    /// Errors that a batch answers in detail.
    pub item_errors_max: usize,
    /// Bytes of a bearer token: ours are under 1 KiB.
    pub token_max: usize,
    /// Characters of a password, since Argon2 reads all of it.
    pub password_max: usize,
    /// Characters of a new password at least.
    pub password_min: usize,
    /// Bytes of a time-stamping authority's answer: one with a long chain of RSA certificates has some 10 KiB.
    pub time_stamp_max: usize,
    /// How long one authority elsewhere may take for a time stamp.
    pub time_stamp_wait_max: Duration,
    /// How long all authorities elsewhere together may take for one: whoever submits waits for it.
    pub time_stamp_wait_for_all_max: Duration,
    /// Blocking jobs (RSA, key generation, large batches) that may wait for a core. One caller may have as many waiting as
    /// there are free places beside them: half of all at most.
    pub pool_queue_max: usize,
    /// How long such a job may wait.
    pub pool_wait_max: Duration,
    /// Bytes of revocation lists that stay in memory: 100,000 revoked certificates have 4 MiB. Larger ones, and those of more
    /// authorities, are read from the store for each request that needs one.
    pub revocation_lists_kept_max: usize,
    /// Passwords that may wait to be checked. They have threads of their own, one for each four cores.
    pub password_queue_max: usize,
    /// Passwords from one source that may wait: checking them takes some seconds.
    pub passwords_per_source_max: usize,
    /// RSA signatures that are made at once where the processor can, which costs less for each: 4 at most, and from 3 on.
    /// With 1 each is made by itself, and by AWS-LC alone, as in hardened mode and with all keys that sign no content.
    pub rsa_group_max: usize,
    /// Lifetime of a bearer token.
    pub token_lifetime: Duration,
    /// Lifetime of a session that waits for its second login.
    pub half_open_max: Duration,
    /// How long a session may stay unused.
    pub idle_max: Duration,
    /// How long a session may last at all.
    pub session_max: Duration,
    /// For a node that is cut off from its database.
    pub outage: OutageLimits,
    /// For notices.
    pub notices: NoticeLimits,
    /// For API keys.
    pub api_keys: ApiKeyLimits,
    /// For logins, and what takes the same proof.
    pub logins: LoginLimits,
}

/// What an identity may have of API keys.
#[derive(Clone, Debug)]
pub struct ApiKeyLimits {
    /// Keys of one identity, which are read whole with it.
    pub keys_max: u32,
    /// Networks of a key, and objects of each kind that it is restricted to: each call looks through them.
    pub entries_max: usize,
}

/// What bodies hold while they come, before it is known who sends them and afterwards.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    /// Bytes of the body of somebody who is not known yet: a login, or a request for an OCSP answer or a time stamp. The
    /// longest password, escaped, is 6 KiB.
    pub visitor_body_max: usize,
    /// Bytes of all such bodies that are on their way at a time.
    pub visitor_bytes_max: usize,
    /// Bytes of those of one source: a hundred of the longest, ten thousand of the usual.
    pub visitor_bytes_per_source_max: usize,
    /// Bytes of the bodies above 64 KiB that are in memory while they come. What has no room waits on disk.
    pub body_memory_max: usize,
    /// Bytes of those of one caller: each counts as 2 MiB.
    pub body_memory_per_caller_max: usize,
    /// Bytes of all bodies that wait on disk at a time.
    pub spool_max: usize,
    /// Bytes of those of one caller: five of the longest.
    pub spool_per_caller_max: usize,
    /// Bytes of the answers above 4 KiB that nobody has taken yet, beside the first 16 MiB of each caller.
    pub answer_memory_max: usize,
    /// Bytes of those of one caller, likewise; a longer one is let through alone.
    pub answer_memory_per_caller_max: usize,
    /// How long a body may take to arrive, unless it keeps its rate.
    pub body_wait_max: Duration,
    /// Bytes a second that a body of more has to come with.
    pub body_rate_min: usize,
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            visitor_body_max: 16 * KIB,
            visitor_bytes_max: 32 * MIB,
            visitor_bytes_per_source_max: 2 * MIB,
            body_memory_max: 512 * MIB,
            body_memory_per_caller_max: 256 * MIB,
            spool_max: 2_048 * MIB,
            spool_per_caller_max: 512 * MIB,
            answer_memory_max: 512 * MIB,
            answer_memory_per_caller_max: 256 * MIB,
            body_wait_max: Duration::from_secs(20),
            body_rate_min: 64 * KIB,
        }
    }
}

/// How long a node goes on that is cut off from its database.
#[derive(Clone, Debug)]
pub struct OutageLimits {
    /// For how long a node detokenizes that has not followed the store: it does not know who was locked meanwhile.
    pub detokenize_staleness_max: Duration,
    /// For how long it tokenizes: what is tokenized can be read by nobody who could not read it before.
    pub tokenize_staleness_max: Duration,
    /// For how long it gives out sessions and bearer tokens: they would outlive what ended them.
    pub login_staleness_max: Duration,
    /// For how long it gives out OCSP answers and revocation lists from memory: it does not know what was revoked meanwhile.
    /// What is given out says itself until when it is good, which nobody can take back, so this is short.
    pub revocation_staleness_max: Duration,
    /// Records of tokenization calls that wait to be written, some 200 bytes each; no call is answered beyond.
    pub unwritten_counts_max: usize,
    /// How long such a record may wait before no further call is answered.
    pub unwritten_counts_age_max: Duration,
}

impl Default for OutageLimits {
    fn default() -> Self {
        Self {
            detokenize_staleness_max: Duration::from_secs(60),
            tokenize_staleness_max: Duration::from_mins(15),
            login_staleness_max: Duration::from_secs(5),
            revocation_staleness_max: Duration::from_secs(60),
            unwritten_counts_max: 100_000,
            unwritten_counts_age_max: Duration::from_mins(5),
        }
    }
}

/// What an import may cost.
#[derive(Clone, Debug)]
pub struct ImportLimits {
    /// Bytes of each text of an import: a hundred certificates with ML-DSA-87 keys have some 1 MiB, most a tenth of it.
    pub import_max: usize,
    /// Certificates of one import: more than any chain has, enough for the authorities of a company.
    pub import_certificates_max: usize,
    /// Iterations of password derivations that are computed for one import: some seconds of work. OpenSSL's files have
    /// some thousands, careful ones a million.
    pub import_iterations_max: u32,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self { import_max: 512 * KIB, import_certificates_max: 100, import_iterations_max: 5_000_000 }
    }
}

/// Grants to detokenize in full.
#[derive(Clone, Debug)]
pub struct GrantLimits {
    /// Tokens that a grant lists: as many as people can have checked by a tool, and under a MiB of JSON.
    pub tokens_max: usize,
    /// Values that may be sent under a grant.
    pub values_max: u32,
    /// For how long a grant serves: it is for a task, and no right that somebody has.
    pub lifetime_max: Duration,
    /// Grants of one identity, asked for alone or with others, that wait for approvals: people look at each.
    pub waiting_per_caller_max: u32,
}

impl Default for GrantLimits {
    fn default() -> Self {
        Self {
            tokens_max: 10_000,
            values_max: 1_000_000,
            lifetime_max: Duration::from_hours(7 * 24),
            waiting_per_caller_max: 20,
        }
    }
}

/// What notices may cost.
#[derive(Clone, Debug)]
pub struct NoticeLimits {
    /// Targets of notices: each change that is told reads all of them. As many of the audit records: each is sent all of them.
    pub targets_max: u32,
    /// Notices that may wait for one target, some 300 bytes each; the oldest beyond are given up.
    pub waiting_max: u32,
    /// People's own mailboxes: each is looked at for each notice, after the change.
    pub mailboxes_max: u32,
    /// Notices that may wait for one of them: nobody reads a hundred mails of an outage. The oldest beyond are given up.
    pub mailbox_waiting_max: u32,
    /// Codes that are mailed for one identity in an hour, and never two in a minute: they go to an address that nobody has
    /// confirmed.
    pub mailbox_codes_per_hour: u32,
    /// For how long a notice is tried.
    pub age_max: Duration,
    /// For how long notices are kept; at least twice as long as they are tried.
    pub kept: Duration,
    /// How long one attempt may take.
    pub wait_max: Duration,
    /// Bytes of a target's answer that are read.
    pub answer_max: usize,
    /// Who follows notices as they happen, at a time: each looks twice a second whether it still may.
    pub followers_max: u32,
    /// Those of one identity among them: a tab of a browser each.
    pub followers_per_caller_max: u32,
}

impl Default for NoticeLimits {
    fn default() -> Self {
        Self {
            targets_max: 20,
            waiting_max: 100_000,
            mailboxes_max: 10_000,
            mailbox_waiting_max: 100,
            mailbox_codes_per_hour: 5,
            age_max: Duration::from_hours(3 * 24),
            kept: Duration::from_hours(7 * 24),
            wait_max: Duration::from_secs(10),
            answer_max: 4 * KIB,
            followers_max: 1_000,
            followers_per_caller_max: 20,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            signing_body_max: 90 * MIB,
            payload_max: 64 * MIB,
            batch_body_max: 32 * MIB,
            preview_body_max: 64 * KIB,
            preview_samples_max: 20,
            previews_per_minute: 60,
            body_max: MIB,
            bodies: BodyLimits::default(),
            batch_values_max: 100_000,
            batch_work_max: 100_000_000,
            value_max: 64 * KIB,
            ff1_symbols_max: 512,
            pattern_max: 4_096,
            track_max: 512,
            name_max: 255,
            note_max: 4 * KIB,
            program_url_max: 2 * KIB,
            approvals_max: 64,
            pre_approvals: PreApprovalLimits::default(),
            grants: GrantLimits::default(),
            manifest_items_max: 10_000,
            decisions_max: 1_000,
            rule_items_max: 100,
            metadata_max: 4 * KIB,
            control_rules_max: 1_000,
            csr_max: 64 * KIB,
            imports: ImportLimits::default(),
            cert_profiles_max: 1_000,
            cert_profile_entries_max: 100,
            profile_versions_max: 100,
            certificates_per_name_max: 1_000,
            page_size_max: 1_000,
            list_max: 10_000,
            lists: ListLimits::default(),
            item_errors_max: 100,
            token_max: 4 * KIB,
            password_max: 1_024,
            password_min: 12,
            time_stamp_max: 64 * KIB,
            time_stamp_wait_max: Duration::from_secs(5),
            time_stamp_wait_for_all_max: Duration::from_secs(5),
            pool_queue_max: 4_096,
            pool_wait_max: Duration::from_secs(10),
            revocation_lists_kept_max: 64 * MIB,
            password_queue_max: 1_024,
            passwords_per_source_max: 64,
            rsa_group_max: 4,
            token_lifetime: Duration::from_mins(10),
            half_open_max: Duration::from_mins(5),
            idle_max: Duration::from_mins(15),
            session_max: Duration::from_hours(12),
            outage: OutageLimits::default(),
            notices: NoticeLimits::default(),
            api_keys: ApiKeyLimits { keys_max: 50, entries_max: 100 },
            logins: LoginLimits::default(),
        }
    }
}
