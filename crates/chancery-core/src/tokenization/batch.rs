//! Many values in one call: split over the pool, put together in order, their errors listed.

use std::{ops::Range, sync::Arc};

use chancery_types::{
    Base64,
    wire::{ItemError, Texts},
};
use futures::{StreamExt, TryStreamExt, stream};

use super::{
    engine::{Iv, Outcome},
    format::Format,
};
use crate::{Error, Limits, Result, pool::Pool};

/// Values of one job: long enough to be worth handing over, short enough not to keep a core from others.
const JOB_VALUES: usize = 2_000;

/// A batch this small is done at once: handing it over would cost more.
const INLINE_VALUES: usize = 64;

/// Refuses batches that are too large: by the number of values, and by the work that they are.
pub(crate) fn check(field: &str, values: &Texts, format: &Format, limits: &Limits) -> Result<()> {
    if values.len() > limits.batch_values_max {
        let message = format!("A batch has at most {} values.", limits.batch_values_max);
        return Err(Error::too_large(field, message));
    }
    let work: usize = values.iter().flatten().map(|value| format.work(value.len())).sum();
    if work > limits.batch_work_max {
        let message = "The values are so long that the batch would hold a core for too long; split it.";
        return Err(Error::too_large(field, message));
    }
    Ok(())
}

/// Some values of a batch.
pub(crate) fn values(texts: &Texts, range: Range<usize>) -> impl Iterator<Item = &str> + Clone {
    range.filter_map(|index| texts.at(index).flatten())
}

/// Runs `job` on the values `0..count` in parts, as many at a time as the pool has cores, and joins the outcomes.
pub(crate) async fn run<F>(pool: &Pool, count: usize, job: F) -> Result<Outcome>
where
    F: Fn(Range<usize>) -> Result<Outcome> + Send + Sync + 'static,
{
    if count <= INLINE_VALUES {
        return job(0..count);
    }
    let job = Arc::new(job);
    let starts: Vec<usize> = (0..count).step_by(JOB_VALUES).collect();
    let parts = starts.into_iter().map(|start| {
        let job = Arc::clone(&job);
        pool.run(move || job(start..count.min(start + JOB_VALUES)))
    });
    let mut parts = stream::iter(parts).buffered(pool.cores());
    let mut all = Outcome::default();
    while let Some(part) = parts.try_next().await? {
        all.append(&part?);
    }
    Ok(all)
}

/// The initialization vectors that came with a batch of tokens: none, or one for each. One of a wrong length concerns
/// its token alone.
pub(crate) fn read_ivs(use_iv: bool, ivs: Option<&[Base64]>, tokens: usize) -> Result<Vec<Option<Iv>>> {
    match (use_iv, ivs) {
        (false, None) => Ok(Vec::new()),
        (false, Some(_)) => Err(Error::value("/ivs", "The profile uses no initialization vectors.")),
        (true, None) => Err(Error::malformed("/ivs", "The profile uses initialization vectors: ivs is needed.")),
        (true, Some(ivs)) if ivs.len() != tokens => {
            Err(Error::value("/ivs", "ivs has one initialization vector for each token, in the same order."))
        }
        (true, Some(ivs)) => Ok(ivs.iter().map(|iv| iv.0.as_slice().try_into().ok()).collect()),
    }
}

/// The initialization vectors as they are answered: `null` where there is no token.
pub(crate) fn ivs_of(outcome: &Outcome, ivs: &[Iv]) -> Vec<Option<Base64>> {
    outcome.texts.iter().zip(ivs).map(|(token, iv)| token.map(|_| Base64(iv.to_vec()))).collect()
}

impl Outcome {
    /// Appends the outcome of the values that follow.
    fn append(&mut self, next: &Self) {
        let before = self.texts.len();
        self.texts.append(&next.texts);
        self.bad.extend(next.bad.iter().map(|&(index, bad)| (before + index, bad)));
    }

    /// The one text of one value.
    pub(crate) fn single(self, field: &str) -> Result<String> {
        if let Some((_, bad)) = self.bad.first() {
            return Err(bad.error(field));
        }
        let text = self.texts.at(0).flatten().map(str::to_owned);
        text.ok_or_else(|| Error::internal("an outcome has neither a text nor a refusal"))
    }

    /// What was wrong with single values: the call's own refusal, or with `partial` a part of its answer.
    pub(crate) fn settle(&self, field: &str, partial: bool, limits: &Limits) -> Result<Vec<ItemError>> {
        let errors = self.bad.iter().take(limits.item_errors_max).map(|&(index, bad)| {
            let error = bad.error(field);
            ItemError { index, error_code: error.meaning().error_code(), message: error.message().to_owned() }
        });
        let errors = errors.collect();
        match self.bad.first() {
            Some((_, first)) if !partial => {
                let message = format!("{} of {} values were refused.", self.bad.len(), self.texts.len());
                Err(Error::new(first.error(field).meaning(), message).at(field).with_items(errors))
            }
            Some(_) | None => Ok(errors),
        }
    }
}
