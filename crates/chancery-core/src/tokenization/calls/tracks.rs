//! Calls with track data: the account number in it is tokenized, and the rest stays.

use chancery_types::{
    Action, TokenProfileId,
    wire::token_profiles::{
        TrackDetokenizationResponse, TrackDetokenizeRequest, TrackTokenizationResponse, TrackTokenizeRequest,
    },
};

use super::{One, of_rule};
use crate::{
    Caller, Error, Result, Tokens,
    tokenization::{Noted, profile::Profile, rules::Call, track::Tracks},
};

const TRACK: &str = "/track";

impl Tokens {
    /// Puts a token in the place of the account number of track data.
    pub async fn track_tokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: TrackTokenizeRequest,
    ) -> Result<TrackTokenizationResponse> {
        let now = self.context.tokenizes_now()?;
        let mut noted = Noted::of(Action::TrackTokenize, 1);
        let answer = async {
            let (profile, grant) = self.may_tokenize(&now, caller, id, Call::Track)?;
            noted.makes(&profile);
            profile.engine().versions().check_made(request.key_version)?;
            let tracks = self.parse_tracks(&profile, &request.track)?;
            let grant = self.charge(caller, &profile, grant, 1, TRACK).await?;
            let attributes = self.attributes(&profile, None, None)?;
            let (token, iv) = self.make_token(&profile, grant, &tracks.account(), attributes, TRACK).await?;
            noted.tagged(self.tag(&profile, &token)?);
            let track = tracks.with_account(&token).map_err(|bad| bad.error(TRACK))?;
            Ok(TrackTokenizationResponse { track, iv, key_version: profile.engine().version_to_tell() })
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }

    /// Puts the account number back into tokenized track data.
    pub async fn track_detokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: TrackDetokenizeRequest,
    ) -> Result<TrackDetokenizationResponse> {
        let now = self.context.detokenizes_now()?;
        let mut noted = Noted::of(Action::TrackDetokenize, 1);
        let answer = async {
            let profile = self.token_profiles.find(id)?;
            caller.check_profile(id)?;
            let grant = match request.grant_uuid {
                None => profile.may_detokenize(&now, caller.roles(), Call::Track),
                Some(grant) => {
                    let token = self.parse_tracks(&profile, &request.track)?.account();
                    let sent = One { profile: &profile, call: Call::Track, token: &token, field: TRACK };
                    Box::pin(self.one_by_grant(&now, caller, grant, sent)).await
                }
            };
            let grant = of_rule(grant, &profile, caller, Call::Track)?;
            let tracks = self.parse_tracks(&profile, &request.track)?;
            let (token, iv, version) = (tracks.account(), request.iv.as_ref(), request.key_version);
            noted.tagged(self.tag(&profile, &token)?);
            let grant = grant?;
            noted.opens(&profile, &grant, version);
            let grant = self.charge(caller, &profile, grant, 1, TRACK).await?;
            let account = self.open_token(&profile, grant, &token, iv, version, TRACK).await?;
            let track = tracks.with_account(&account).map_err(|bad| bad.error(TRACK))?;
            Ok(TrackDetokenizationResponse { track })
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }

    fn parse_tracks<'t>(&self, profile: &Profile, track: &'t str) -> Result<Tracks<'t>> {
        if track.len() > self.context.limits.track_max {
            return Err(Error::too_large(
                TRACK,
                format!("Track data have at most {} bytes.", self.context.limits.track_max),
            ));
        }
        if !profile.engine().is_decimal() {
            return Err(Error::value(TRACK, "Account numbers are decimal; the profile's alphabet is not Decimal."));
        }
        Tracks::parse(track).map_err(|bad| bad.error(TRACK))
    }
}
