mod budgets;
mod uuid;
