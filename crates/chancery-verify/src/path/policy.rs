//! Certificate policies along a path (RFC 5280, 6.1), as the graph of RFC 9618: one node for each policy at each depth, so
//! that the work is bounded by the square of the policies, where the tree of the older text could double at every step.

use std::collections::{BTreeMap, BTreeSet};

use der::asn1::ObjectIdentifier;

use super::link::Link;

/// anyPolicy (RFC 5280, 4.2.1.4).
const ANY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.32.0");

/// Policies or mappings of one certificate. More than any authority writes.
const POLICIES_MAX: usize = 256;

/// With what the processing of policies begins (RFC 5280, 6.1.1).
#[derive(Clone, Debug, Default)]
pub struct PolicySettings {
    /// The policies that are wanted; `None` for any.
    pub wanted: Option<Vec<ObjectIdentifier>>,
    /// Whether the path must be valid for at least one of them.
    pub explicit: bool,
    /// Whether policies may not be mapped.
    pub inhibit_mapping: bool,
    /// Whether anyPolicy stands for nothing.
    pub inhibit_any: bool,
}

/// A policy at one depth: what is expected of the next certificate, and from which policies above it follows.
#[derive(Debug)]
struct Node {
    expected: BTreeSet<ObjectIdentifier>,
    parents: BTreeSet<ObjectIdentifier>,
}

type Level = BTreeMap<ObjectIdentifier, Node>;

/// The state of the processing.
#[derive(Debug)]
pub(super) struct Policies {
    /// The nodes at each depth; empty once no policy is left.
    levels: Vec<Level>,
    explicit: usize,
    mapping: usize,
    any: usize,
}

impl Policies {
    /// Before the first certificate of a path of this length.
    pub(super) fn new(settings: &PolicySettings, len: usize) -> Self {
        let root = Node { expected: BTreeSet::from([ANY]), parents: BTreeSet::new() };
        let unless = |set: bool| if set { 0 } else { len + 1 };
        Self {
            levels: vec![Level::from([(ANY, root)])],
            explicit: unless(settings.explicit),
            mapping: unless(settings.inhibit_mapping),
            any: unless(settings.inhibit_any),
        }
    }

    /// 6.1.3 (d) to (f); `false` where a policy is needed and none is left, or where there are too many.
    pub(super) fn take(&mut self, link: &Link, is_last: bool) -> bool {
        match (&link.facts.policies, self.levels.last()) {
            (Some(policies), _) if policies.len() > POLICIES_MAX => return false,
            (Some(policies), Some(above)) => {
                let any_counts = self.any > 0 || !is_last && link.is_self_issued();
                let level = next_level(above, policies, any_counts);
                if level.is_empty() { self.levels.clear() } else { self.levels.push(level) }
            }
            (None, _) => self.levels.clear(),
            (Some(_), None) => {}
        }
        self.explicit > 0 || !self.levels.is_empty()
    }

    /// 6.1.4 (a), (b) and (h) to (j), before the next certificate; `false` for mappings from or to anyPolicy.
    pub(super) fn prepare(&mut self, link: &Link) -> bool {
        let mappings = &link.facts.mappings;
        if mappings.len() > POLICIES_MAX || mappings.iter().any(|(from, to)| *from == ANY || *to == ANY) {
            return false;
        }
        self.map(mappings);
        if !link.is_self_issued() {
            self.explicit = self.explicit.saturating_sub(1);
            self.mapping = self.mapping.saturating_sub(1);
            self.any = self.any.saturating_sub(1);
        }
        let at_most = |left: usize, said: Option<u32>| said.map_or(left, |said| left.min(said as usize));
        self.explicit = at_most(self.explicit, link.facts.require_explicit);
        self.mapping = at_most(self.mapping, link.facts.inhibit_mapping);
        self.any = at_most(self.any, link.facts.inhibit_any);
        true
    }

    fn map(&mut self, mappings: &[(ObjectIdentifier, ObjectIdentifier)]) {
        let Some(level) = self.levels.last_mut() else { return };
        let mut by_issuer: BTreeMap<ObjectIdentifier, BTreeSet<ObjectIdentifier>> = BTreeMap::new();
        for (from, to) in mappings {
            by_issuer.entry(*from).or_default().insert(*to);
        }
        let has_any = level.contains_key(&ANY);
        for (from, to) in by_issuer {
            if self.mapping == 0 {
                level.remove(&from);
            } else if let Some(node) = level.get_mut(&from) {
                node.expected = to;
            } else if has_any {
                level.insert(from, Node { expected: to, parents: BTreeSet::from([ANY]) });
            }
        }
        if level.is_empty() {
            self.levels.clear();
        }
    }

    /// 6.1.5 (a), (b) and (g), after the last certificate: whether the path is valid for what is wanted.
    pub(super) fn finish(mut self, link: &Link, settings: &PolicySettings) -> bool {
        self.explicit = self.explicit.saturating_sub(1);
        if link.facts.require_explicit == Some(0) {
            self.explicit = 0;
        }
        self.explicit > 0 || self.is_good_for(settings.wanted.as_deref())
    }

    /// Whether a policy that the authorities allow all the way is among those that are wanted.
    fn is_good_for(&self, wanted: Option<&[ObjectIdentifier]>) -> bool {
        let Some(last) = self.levels.last() else { return false };
        let Some(wanted) = wanted else { return true };
        if last.contains_key(&ANY) {
            return !wanted.is_empty();
        }
        // From the last depth back to the first one: what has no descendant at the last depth does not count.
        let mut alive: BTreeSet<ObjectIdentifier> = last.keys().copied().collect();
        for level in self.levels.iter().rev() {
            let nodes = || level.iter().filter(|(policy, _)| alive.contains(*policy));
            let of_root = |(policy, node): (&ObjectIdentifier, &Node)| {
                *policy != ANY && node.parents.contains(&ANY) && wanted.contains(policy)
            };
            if nodes().any(of_root) {
                return true;
            }
            alive = nodes().flat_map(|(_, node)| node.parents.iter().copied()).collect();
        }
        false
    }
}

fn next_level(above: &Level, policies: &[ObjectIdentifier], any_counts: bool) -> Level {
    let expecting = |policy: &ObjectIdentifier| {
        let parents = above.iter().filter(|(_, node)| node.expected.contains(policy));
        parents.map(|(policy, _)| *policy).collect::<BTreeSet<_>>()
    };
    let node = |policy: ObjectIdentifier, parents| (policy, Node { expected: BTreeSet::from([policy]), parents });
    let mut level = Level::new();
    for policy in policies.iter().filter(|policy| **policy != ANY) {
        let parents = expecting(policy);
        if !parents.is_empty() {
            level.extend([node(*policy, parents)]);
        } else if above.contains_key(&ANY) {
            level.extend([node(*policy, BTreeSet::from([ANY]))]);
        }
    }
    if any_counts && policies.contains(&ANY) {
        let expected: BTreeSet<_> = above.values().flat_map(|node| node.expected.iter().copied()).collect();
        for policy in expected {
            if !level.contains_key(&policy) {
                level.extend([node(policy, expecting(&policy))]);
            }
        }
    }
    level
}
