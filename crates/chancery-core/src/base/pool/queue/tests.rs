use super::*;
use crate::{
    Error, Meaning,
    base::pool::{Signature, job::Leaves},
};

/// A job that is never run; it tells who it is by its group.
struct Named(Option<usize>);

impl Job for Named {
    fn leaves(&self) -> Leaves {
        Leaves::Together
    }

    fn to_sign(&self) -> Option<chancery_keys::ToSign<'_>> {
        None
    }

    fn group(&self) -> Option<usize> {
        self.0
    }

    fn run(&mut self, signature: Option<Signature>) {
        drop(signature);
    }

    fn answer(self: Box<Self>) {
        drop(self);
    }
}

fn kind(queue_max: usize) -> Kind {
    Kind { slots: 1, queue_max, party_max: queue_max, group_max: 4, niceness: None }
}

fn add(jobs: &mut Jobs, party: u128, group: Option<usize>, kind: &Kind) -> Result<u64> {
    jobs.add(Party::RecordedIdentities(party), group, Box::new(Named(group)), kind)
}

/// Whose jobs come next, one at a time.
fn parties(jobs: &mut Jobs, count: usize) -> Vec<u128> {
    let party = |job: Waiting| match job.party {
        Party::RecordedIdentities(party) => party,
        Party::Background | Party::Source(_) => panic!("{:?}", job.party),
    };
    (0..count).map_while(|_| jobs.next().map(party)).collect()
}

#[test]
fn parties_take_turns_however_much_one_of_them_has_waiting() {
    let (mut jobs, kind) = (Jobs::default(), kind(100));
    (0..6).for_each(|_| assert!(add(&mut jobs, 1, None, &kind).is_ok()));
    (0..2).for_each(|_| assert!(add(&mut jobs, 2, None, &kind).is_ok()));
    add(&mut jobs, 3, None, &kind).unwrap();
    assert_eq!(parties(&mut jobs, 5), [1, 2, 3, 1, 2]);
    add(&mut jobs, 3, None, &kind).unwrap();
    assert_eq!(parties(&mut jobs, 9), [1, 3, 1, 1, 1]);
    assert_eq!((jobs.lines.len(), jobs.turns.len(), jobs.waiting), (0, 0, 0), "nothing is left of them");
}

#[test]
fn whose_jobs_take_long_lets_others_have_as_much_time() {
    let (mut jobs, kind) = (Jobs::default(), kind(100));
    (0..4).for_each(|_| assert!(add(&mut jobs, 1, None, &kind).is_ok()));
    (0..8).for_each(|_| assert!(add(&mut jobs, 2, None, &kind).is_ok()));
    assert_eq!(parties(&mut jobs, 1), [1]);
    jobs.charge(&[Party::RecordedIdentities(1)], 3 * TURN);
    assert_eq!(parties(&mut jobs, 5), [2, 2, 2, 2, 1]);
    jobs.charge(&[Party::RecordedIdentities(1)], Duration::from_secs(3_600));
    assert_eq!(parties(&mut jobs, 5), [2, 2, 2, 2, 1], "nobody is waited for");
    assert_eq!(parties(&mut jobs, 5), [1]);
}

#[test]
fn one_party_leaves_room_for_others_however_many_there_are() {
    let (mut jobs, kind) = (Jobs::default(), kind(100));
    let mut places = |party| (0..200).take_while(|_| add(&mut jobs, party, None, &kind).is_ok()).count();
    assert_eq!((1..=7).map(&mut places).collect::<Vec<_>>(), [50, 25, 13, 6, 3, 2, 1]);
    let refusal = add(&mut jobs, 1, None, &kind).unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::Busy);
    let few = Kind { party_max: 3, ..kind };
    let mut jobs = Jobs::default();
    assert_eq!((0..9).take_while(|_| add(&mut jobs, 1, None, &few).is_ok()).count(), 3);
}

#[test]
fn what_signs_together_is_taken_out_of_all_lines_and_the_rest_keeps_its_order() {
    let (a, b) = (Some(2_048), Some(3_072));
    // What is taken with the first job, and what is left, of lines with these groups.
    let groups_left = |lines: &[&[Option<usize>]], max: usize| {
        let (mut jobs, kind) = (Jobs::default(), kind(1_000));
        for (party, groups) in (0..).zip(lines) {
            groups.iter().for_each(|group| assert!(add(&mut jobs, party, *group, &kind).is_ok()));
        }
        let mut taken = Vec::new();
        jobs.take(max, &mut taken);
        let left: Vec<Vec<_>> = (0..lines.len() as u128)
            .map(|party| jobs.lines.get(&Party::RecordedIdentities(party)))
            .map(|line| line.into_iter().flat_map(|line| line.jobs.iter().map(|job| job.group)).collect())
            .collect();
        let count: usize = left.iter().map(Vec::len).sum();
        assert_eq!((jobs.waiting, jobs.turns.len()), (count, left.iter().filter(|line| !line.is_empty()).count()));
        (taken.iter().map(|job| job.group).collect::<Vec<_>>(), left)
    };
    let line = [a, None, a, b, a, a, None, a];
    assert_eq!(groups_left(&[&line], 4), (vec![a; 4], vec![vec![None, b, None, a]]));
    assert_eq!(groups_left(&[&line], 3), (vec![a; 3], vec![vec![None, b, a, None, a]]));
    // The others' come before the second of one's own.
    assert_eq!(groups_left(&[&[a, a, a], &[a], &[b, a]], 4), (vec![a; 4], vec![vec![a], vec![], vec![b]]));
    // Too few, not wanted, or of no group.
    for (lines, max) in
        [(&[&[b, a][..], &[b]], 4), (&[&[a, a], &[a]], 2), (&[&[a, a], &[a]], 0), (&[&[None, a], &[a]], 4)]
    {
        let (taken, left) = groups_left(&lines[..], max);
        assert_eq!((taken.len(), left[0].len(), left[1].len()), (1, 1, 1), "{lines:?} {max}");
    }
    let mut many = vec![a];
    many.extend([None; LOOK_MAX]);
    many.extend([a; 3]);
    assert_eq!(groups_left(&[&many], 4).0, [a], "too far behind");
    many.remove(1);
    assert_eq!(groups_left(&[&many], 4).0, [a], "two alone");
}

#[test]
fn a_job_that_is_taken_back_leaves_its_place() {
    let queue = Arc::new(Queue::new(kind(2)));
    queue.jobs().running = 1;
    let push = |party| queue.push(Party::RecordedIdentities(party), Box::new(Named(None)));
    let mut first = push(1).unwrap();
    assert!(push(1).is_err_and(|refusal: Error| refusal.meaning() == Meaning::Busy));
    assert!(first.take_back());
    assert!(!first.take_back(), "once");
    drop(push(1).unwrap());
    assert_eq!(queue.waiting(), 0);
    let ticket = push(1).unwrap();
    assert_eq!(parties(&mut queue.jobs(), 2), [1]);
    drop(push(1).unwrap());
    drop(ticket);
    assert_eq!(queue.waiting(), 0);
}
