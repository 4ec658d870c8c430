//! Rows and goals, for people and for programs.

use chancery_ff1::Kernel;
use serde_json::{Value, json};

use crate::cases::{Case, KEYS, SHAPES, Shape};

/// Blocks that FF1 needs for each value, one a round.
const BLOCKS: f64 = 10.0;

struct Row<'a> {
    case: &'a Case,
    ns: f64,
    /// How many times faster than `fpe` at the same work.
    ratio: f64,
    /// Of the speed at which the machine encrypts ten blocks.
    percent: Option<f64>,
}

pub(crate) struct Report<'a> {
    rows: Vec<Row<'a>>,
    /// Nanoseconds per block, in the order of [`KEYS`].
    bare: [Option<f64>; 2],
}

/// A figure to reach.
struct Goal {
    name: &'static str,
    /// `None` if the machine lacks the kernel.
    value: Option<f64>,
    unit: &'static str,
    goal: f64,
    /// Whether less is better.
    less: bool,
}

impl<'a> Report<'a> {
    pub(crate) fn new(cases: &'a [Case], times: &[f64], bare: [Option<f64>; 2]) -> Self {
        let same = |a: &Case, b: &Case| a.shape.name == b.shape.name && a.bits == b.bits && a.encrypt == b.encrypt;
        let row = |(case, &ns): (&'a Case, &f64)| {
            let fpe = cases.iter().zip(times).find(|(other, _)| other.kernel.is_none() && same(case, other));
            let block = KEYS.iter().zip(bare).find(|(bits, _)| **bits == case.bits).and_then(|(_, block)| block);
            let ratio = fpe.map_or(f64::NAN, |(_, fpe)| fpe / ns);
            Row { case, ns, ratio, percent: block.map(|block| 100.0 * BLOCKS * block / ns) }
        };
        Self { rows: cases.iter().zip(times).map(row).collect(), bare }
    }

    pub(crate) fn print(&self) {
        for (bits, block) in KEYS.iter().zip(self.bare) {
            let block =
                block.map_or("unknown".to_owned(), |ns| format!("{ns:.3} ns a block, {:.1} a value", BLOCKS * ns));
            println!("bare AES-{bits}: {block}");
        }
        println!("{:60} {:>9} {:>12} {:>9} {:>8}", "", "ns/value", "values/s", "x fpe", "% bound");
        for row in &self.rows {
            let percent = row.percent.map_or("?".to_owned(), |percent| format!("{percent:.0}"));
            let rate = 1e9 / row.ns;
            println!("{:60} {:9.1} {rate:12.0} {:9.1} {percent:>8}", row.case.name(), row.ns, row.ratio);
        }
        for goal in self.goals() {
            let Goal { name, unit, goal: aim, less, value } = goal;
            let at = if less { "at most" } else { "at least" };
            match value {
                Some(value) => {
                    let met = if goal.met() { "met" } else { "NOT MET" };
                    println!("{name}: {value:.1} {unit} ({at} {aim}): {met}");
                }
                None => println!("{name}: absent, this machine lacks the kernel"),
            }
        }
    }

    pub(crate) fn json(&self) -> Value {
        let row = |row: &Row<'_>| {
            json!({
                "name": row.case.name(),
                "kernel": row.case.kernel_name(),
                "mode": if row.case.batch { "batch" } else { "single" },
                "key_bits": row.case.bits,
                "direction": if row.case.encrypt { "encrypt" } else { "decrypt" },
                "shape": row.case.shape.name,
                "ns_per_value": row.ns,
                "values_per_s": 1e9 / row.ns,
                "times_fpe": row.ratio,
                "percent_of_bound": row.percent,
            })
        };
        let bare =
            |(bits, block): (&usize, Option<f64>)| json!({"name": format!("bare AES-{bits}"), "ns_per_block": block});
        let goal = |goal: Goal| {
            let bound = if goal.less { "at_most" } else { "at_least" };
            json!({"name": goal.name, "value": goal.value, "unit": goal.unit, bound: goal.goal})
        };
        json!({
            "rows": KEYS.iter().zip(self.bare).map(bare).chain(self.rows.iter().map(row)).collect::<Vec<_>>(),
            "goals": self.goals().into_iter().map(goal).collect::<Vec<_>>(),
        })
    }

    /// AES-256, encryption.
    fn goals(&self) -> Vec<Goal> {
        let [fixed, varying, ..] = SHAPES.map(|shape| shape.name);
        let best = Kernel::available().last();
        let wide = Some(Kernel::Vaes512).filter(|kernel| Kernel::available().any(|other| other == *kernel));
        let at_least = |name, row: Option<&Row<'_>>, goal| {
            let value = row.map(|row| row.ratio);
            Goal { name, value, unit: "x fpe", goal, less: false }
        };
        let batch = wide.and_then(|kernel| self.row(kernel, true, fixed));
        let cost = best.and_then(|kernel| {
            Some(100.0 * (self.row(kernel, true, varying)?.ns / self.row(kernel, true, fixed)?.ns - 1.0))
        });
        vec![
            at_least("single, 16 digits", best.and_then(|kernel| self.row(kernel, false, fixed)), 20.0),
            at_least("batch on vaes512, 16 digits", batch, 250.0),
            Goal {
                name: "batch on vaes512, 16 digits, of the AES bound",
                value: batch.and_then(|row| row.percent),
                unit: "%",
                goal: 65.0,
                less: false,
            },
            at_least("batch on aesni, 16 digits", self.row(Kernel::AesNi, true, fixed), 60.0),
            Goal { name: "cost of a tweak per value in a batch", value: cost, unit: "%", goal: 40.0, less: true },
        ]
    }

    fn row(&self, kernel: Kernel, batch: bool, shape: &str) -> Option<&Row<'a>> {
        self.rows.iter().find(|row| {
            let Case { kernel: of, batch: many, bits, encrypt, shape: Shape { name, .. }, .. } = row.case;
            *of == Some(kernel) && *many == batch && *bits == 256 && *encrypt && *name == shape
        })
    }
}

impl Goal {
    fn met(&self) -> bool {
        self.value.is_some_and(|value| if self.less { value <= self.goal } else { value >= self.goal })
    }
}
