//! Who could do what at a moment that is over: made of the compiled state of now, and of the audit records since, which are
//! undone from the newest back to that moment.

mod archived;
mod facts;
mod object;

use chancery_store::{
    Listed, Position, Start,
    tables::audit::{self, Filter, Row},
};
use chancery_types::{Action, ErrorCode, wire::reports::UncertainAccess};

use self::{
    archived::Archives,
    facts::{Facts, Told, UNDONE},
};
use super::info;
use crate::{
    Caller, Error, Grant, Reports, Result,
    audit::moment,
    identity::rights::AccessState,
    time::{rfc3339, rfc3339_ms},
};

/// Records that are read at a time.
const PIECE: u32 = 200;

/// How often it is tried to read the state of now and the records of up to now while others change it.
const TRIES: u32 = 5;

/// What has to be told of a moment beside its state.
pub(super) struct Past {
    /// RFC 3339.
    pub(super) moment: String,
    pub(super) state: AccessState,
    pub(super) uncertain: Vec<UncertainAccess>,
    pub(super) uncertain_left_out: u64,
}

/// Which records are read: of what was done after the moment, which one member of the call names.
struct Asked {
    filter: Filter,
    member: &'static str,
    moment_ms: i64,
}

/// Records at hand, the newest last; and where those before them begin.
struct AtHand {
    rows: Vec<Told>,
    next: Option<Position>,
}

impl AtHand {
    fn of(piece: Listed<Row>) -> Self {
        Self { rows: piece.rows.into_iter().rev().map(Told::from).collect(), next: piece.next }
    }
}

impl Reports {
    /// What rights follow from now.
    pub(super) fn access_state(&self) -> AccessState {
        let profiles = self.tokens.token_profiles.all();
        AccessState {
            directory: self.identities.state.directory.load_full(),
            profiles: profiles.iter().map(|one| (info(one), one.control_rules.clone())).collect(),
        }
    }

    /// What they followed from at a moment, which `member` of a call names, and what they follow from now.
    pub(super) async fn access_past(
        &self,
        caller: &Caller,
        grant: &Grant,
        member: &'static str,
        text: String,
    ) -> Result<(Past, AccessState)> {
        let asked = self.asked(caller, grant, member, text).await?;
        for _ in 0..TRIES {
            let archives = self.audit.archives_stand(caller, grant).await?;
            let newest = self.newer(caller, grant, &asked, Start::Offset(0)).await?;
            // From here on the compiled state has everything that these records tell of; perhaps more.
            self.context.catch_up().await?;
            let now = self.access_state();
            let again = self.newer(caller, grant, &asked, Start::Offset(0)).await?;
            if numbers(&newest) == numbers(&again) {
                let past = self.read_back(caller, grant, &asked, (&now, newest)).await?;
                // A record that was archived meanwhile may have been read twice, or not at all.
                if self.audit.archives_stand(caller, grant).await? == archives {
                    return Ok((past, now));
                }
            }
        }
        Err(Error::busy(
            "Who may do what is being changed just now, or records of it are being archived; try again.",
            1,
        ))
    }

    /// The moment, where all records since then are here.
    async fn asked(&self, caller: &Caller, grant: &Grant, member: &'static str, text: String) -> Result<Asked> {
        let now_ms = self.context.clock.now_ms();
        let first_ms = self.audit.audit_reaches_back_to(caller, grant).await?.unwrap_or(now_ms);
        let moment_ms = moment(member, Some(text))?.unwrap_or(now_ms);
        let accepted = || format!("ask for one from {} until now, {}", rfc3339_ms(first_ms), rfc3339_ms(now_ms));
        if moment_ms > now_ms {
            return Err(Error::value(member, format!("This moment is still to come: {}.", accepted())));
        }
        if moment_ms < first_ms {
            return Err(Error::value(member, format!("The audit records do not go back so far: {}.", accepted())));
        }
        let filter = Filter {
            from_ms: Some(moment_ms.saturating_add(1)),
            outcome: Some(ErrorCode::Success.as_str().to_owned()),
            actions: Some(actions().map(|action| action.as_str().to_owned()).collect()),
            ..Filter::default()
        };
        Ok(Asked { filter, member, moment_ms })
    }

    /// Records of changes since then, the newest first.
    async fn newer(&self, caller: &Caller, grant: &Grant, asked: &Asked, start: Start) -> Result<Listed<Row>> {
        let page =
            chancery_store::Page { limit: PIECE, start, count_max: 0, scan_max: self.context.limits.lists.scan_max };
        let filter = asked.filter.clone();
        self.context
            .read_list(caller, grant, move |tx| Box::pin(async move { Ok(audit::list(tx, filter, &page).await?) }))
            .await
    }

    /// Undoes the records since then: these, and those before them.
    async fn read_back(
        &self,
        caller: &Caller,
        grant: &Grant,
        asked: &Asked,
        (now, piece): (&AccessState, Listed<Row>),
    ) -> Result<Past> {
        let (mut facts, mut left) = (Facts::of(now)?, self.context.limits.lists.access_records_max as usize);
        self.context.quarantine.all().into_iter().for_each(|(kind, id)| facts.doubt_quarantined(kind, id));
        let (mut at_hand, mut archives) = (AtHand::of(piece), Archives::new(asked.moment_ms));
        loop {
            while at_hand.rows.is_empty()
                && let Some(next) = at_hand.next.take()
            {
                at_hand = AtHand::of(self.newer(caller, grant, asked, Start::After(next)).await?);
            }
            if !self.read_archives(caller, grant, &mut archives, &mut facts).await? {
                return Err(self.too_many(asked));
            }
            let told = match (at_hand.rows.last(), archives.last()) {
                (None, None) => break,
                (Some(here), Some(there)) if here.at >= there.at => at_hand.rows.pop(),
                (Some(_), None) => at_hand.rows.pop(),
                (_, Some(_)) => archives.pop(),
            };
            left = left.checked_sub(1).ok_or_else(|| self.too_many(asked))?;
            told.iter().for_each(|told| facts.undo(told));
        }
        Ok(facts.into_past(rfc3339_ms(asked.moment_ms)))
    }

    fn too_many(&self, asked: &Asked) -> Error {
        let (max, since) = (self.context.limits.lists.access_records_max, rfc3339(asked.moment_ms.div_euclid(1_000)));
        let message = format!("More than {max} changes were recorded since {since}: ask for a later moment.");
        Error::value(asked.member, message)
    }
}

/// Of which actions records are read.
fn actions() -> impl Iterator<Item = Action> {
    UNDONE.iter().map(|(action, ..)| *action).chain([Action::Provision, Action::RowsAuthenticate])
}

fn numbers(listed: &Listed<Row>) -> Vec<i64> {
    listed.rows.iter().map(|row| row.seq).collect()
}
