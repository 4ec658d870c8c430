//! Many values in one call: split over the pool, put together in order, their errors listed.

use std::{ops::Range, sync::Arc};

use chancery_types::{
    Base64,
    wire::{ItemError, Texts},
};
use futures::{StreamExt, TryStreamExt, stream};

use super::engine::{Engine, Iv, IvKind, Outcome};
use crate::{Error, Limits, Result, base::pool::Pool};

/// Work of one job, in the units of [`Engine::work`]: some 2 ms, long enough to be worth handing over, short enough not to
/// keep a core from others.
const JOB_WORK: usize = 200_000;

/// A batch of so little work is done at once: handing it over would cost more.
const INLINE_WORK: usize = 10_000;

/// How much there is to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    values: usize,
    work: usize,
}

impl Load {
    /// Refuses batches that are too large: by the number of values, and by the work that they are.
    pub(crate) fn of(field: &str, values: &Texts, engine: &dyn Engine, limits: &Limits) -> Result<Self> {
        if values.len() > limits.batch_values_max {
            let message = format!("A batch has at most {} values.", limits.batch_values_max);
            return Err(Error::too_large(field, message));
        }
        let work = engine.work(values);
        if work > limits.batch_work_max {
            let message = "The values are so long that the batch would hold a core for too long; split it.";
            return Err(Error::too_large(field, message));
        }
        Ok(Self { values: values.len(), work })
    }

    /// The same values there and back.
    pub(crate) fn twice(self) -> Self {
        Self { work: self.work.saturating_mul(2), ..self }
    }

    /// The values of each job; all values count as equal.
    fn jobs(self) -> Vec<Range<usize>> {
        let size = (self.values.saturating_mul(JOB_WORK) / self.work.max(1)).max(1);
        (0..self.values).step_by(size).map(|start| start..self.values.min(start + size)).collect()
    }
}

/// The work of all values together, where a value of so many bytes is `of_one`.
pub(crate) fn work(values: &Texts, of_one: impl Fn(usize) -> usize) -> usize {
    match values.even(0..values.len()) {
        Some((_, length)) => values.len().saturating_mul(of_one(length)),
        None => values.iter().flatten().map(|value| of_one(value.len())).sum(),
    }
}

/// Some values of a batch.
pub(crate) fn values(texts: &Texts, range: Range<usize>) -> impl Iterator<Item = &str> + Clone {
    range.filter_map(|index| texts.at(index).flatten())
}

/// Runs `job` on all values in parts, as many at a time as the pool has cores, and joins the outcomes.
pub(crate) async fn run<F>(pool: &Pool, load: Load, job: F) -> Result<Outcome>
where
    F: Fn(Range<usize>) -> Result<Outcome> + Send + Sync + 'static,
{
    if load.work <= INLINE_WORK {
        return job(0..load.values);
    }
    let mut parts = run_jobs(pool, load.jobs(), job).await?.into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| all.append(&part));
    Ok(all)
}

/// Runs `job` on each range, as many at a time as the pool has cores; what each gave, in order.
pub(crate) async fn run_jobs<T, F>(pool: &Pool, ranges: Vec<Range<usize>>, job: F) -> Result<Vec<T>>
where
    T: Send + 'static,
    F: Fn(Range<usize>) -> Result<T> + Send + Sync + 'static,
{
    let job = Arc::new(job);
    let parts = ranges.into_iter().map(|range| {
        let job = Arc::clone(&job);
        pool.run(move || job(range))
    });
    let mut parts = stream::iter(parts).buffered(pool.cores());
    let mut all = Vec::new();
    while let Some(part) = parts.try_next().await? {
        all.push(part?);
    }
    Ok(all)
}

/// The initialization vectors that came with a batch of tokens: none, or one for each. One of a wrong length concerns
/// its token alone.
pub(crate) fn read_ivs(kind: Option<IvKind>, ivs: Option<&[Base64]>, tokens: usize) -> Result<Vec<Option<Iv>>> {
    match (kind, ivs) {
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) => Err(Error::value("/ivs", "The profile uses no initialization vectors.")),
        (Some(_), None) => Err(Error::malformed("/ivs", "The profile uses initialization vectors: ivs is needed.")),
        (Some(_), Some(ivs)) if ivs.len() != tokens => {
            Err(Error::value("/ivs", "ivs has one initialization vector for each token, in the same order."))
        }
        (Some(kind), Some(ivs)) => Ok(ivs.iter().map(|iv| kind.read(iv)).collect()),
    }
}

/// The initialization vectors as they are answered: `null` where there is no token.
pub(crate) fn ivs_of(outcome: &Outcome, ivs: &[Iv]) -> Vec<Option<Base64>> {
    outcome.texts.iter().zip(ivs).map(|(token, iv)| token.map(|_| iv.to_wire())).collect()
}

impl Outcome {
    /// Appends the outcome of the values that follow.
    pub(crate) fn append(&mut self, next: &Self) {
        let before = self.texts.len();
        self.texts.append(&next.texts);
        self.bad.extend(next.bad.iter().map(|&(index, bad)| (before + index, bad)));
    }

    /// Whether any value was not refused.
    pub(crate) fn has_texts(&self) -> bool {
        self.bad.len() < self.texts.len()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_of_bounded_work_and_leave_nothing_out() {
        for (values, work) in
            [(1, 1), (1, 5 * JOB_WORK), (7, 3 * JOB_WORK), (100_000, 2_600_000), (100_000, 100_000_000)]
        {
            let jobs = Load { values, work }.jobs();
            assert_eq!(jobs.iter().cloned().flatten().collect::<Vec<_>>(), (0..values).collect::<Vec<_>>());
            let largest = jobs.iter().map(ExactSizeIterator::len).max().unwrap();
            assert!(largest == 1 || largest * (work / values) <= JOB_WORK, "{values} {work}: {largest}");
        }
        assert_eq!(Load { values: 0, work: 0 }.jobs(), []);
    }
}
