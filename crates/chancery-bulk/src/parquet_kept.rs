//! Columns of a Parquet file that nobody named stay what they are, or the file is refused: the library reads into Arrow's
//! types, and where those say less than Parquet's, the output would have other values or another type.

use parquet::{
    basic::{IntType, LogicalType, Type as Physical},
    schema::types::{ColumnDescriptor, SchemaDescriptor, Type},
};

/// Refuses a column that the output would not have as the input has it. `changed` are the names of those that are made anew.
pub(crate) fn check(input: &SchemaDescriptor, output: &SchemaDescriptor, changed: &[&str]) -> Result<(), String> {
    for field in input.root_schema().get_fields().iter().filter(|field| !changed.contains(&field.name())) {
        let name = field.name();
        if has_variant(field) {
            return Err(format!("column {name}: VARIANT is not kept; take the column out, or write it as JSON"));
        }
        let (before, after) = (leaves(input, name), leaves(output, name));
        if before.iter().any(|leaf| leaf.physical_type() == Physical::INT96) {
            return Err(format!(
                "column {name}: moments in INT96, which has no bounds, are not kept; write them as INT64 (Spark: \
                 spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS; pyarrow: use_deprecated_int96_timestamps=False)"
            ));
        }
        if before.len() != after.len() {
            return Err(format!("column {name}: what is within it is not kept"));
        }
        let changed = before.iter().zip(&after).find_map(|(before, after)| {
            let (before, after) = (said(before), said(after));
            (before.is_some() && before != after).then_some((before, after))
        });
        if let Some((before, after)) = changed {
            let shown = |of: Option<LogicalType>| of.map_or("none".to_owned(), |of| format!("{of:?}"));
            let (before, after) = (shown(before), shown(after));
            return Err(format!("column {name}: its type is not kept: {before} would become {after}"));
        }
    }
    Ok(())
}

fn leaves<'s>(schema: &'s SchemaDescriptor, name: &str) -> Vec<&'s ColumnDescriptor> {
    let is_below = |column: &&ColumnDescriptor| column.path().parts().first().is_some_and(|first| first == name);
    schema.columns().iter().map(|column| &**column).filter(is_below).collect()
}

/// What Parquet says of values beyond how they are stored; nothing where that adds nothing, or where bytes stay bytes
/// whatever they are called.
fn said(leaf: &ColumnDescriptor) -> Option<LogicalType> {
    let said = leaf.logical_type_ref()?;
    let is_number = |number: &IntType| number.is_signed && matches!(number.bit_width, 32 | 64);
    let adds_nothing = matches!(said, LogicalType::Integer(number) if is_number(number))
        || matches!(
            said,
            LogicalType::Enum | LogicalType::Bson | LogicalType::Geometry { .. } | LogicalType::Geography { .. }
        );
    (!adds_nothing).then(|| said.clone())
}

fn has_variant(field: &Type) -> bool {
    field.is_group()
        && (matches!(field.get_basic_info().logical_type_ref(), Some(LogicalType::Variant { .. }))
            || field.get_fields().iter().any(|inner| has_variant(inner)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::{
        arrow::{ArrowSchemaConverter, parquet_to_arrow_schema},
        schema::parser::parse_message_type,
    };

    use super::*;

    /// What is said of a file with this column beside the one that is made anew.
    fn checked(column: &str) -> Result<(), String> {
        let text = format!("message file {{ required binary pan (UTF8); {column} }}");
        let input = SchemaDescriptor::new(Arc::new(parse_message_type(&text).unwrap()));
        let output = ArrowSchemaConverter::new().convert(&parquet_to_arrow_schema(&input, None).unwrap()).unwrap();
        check(&input, &output, &["pan"])
    }

    #[test]
    fn what_the_output_would_not_have_is_refused_by_name() {
        for (column, word) in [
            ("optional int96 until;", "INT96"),
            (
                "optional group days (LIST) { repeated group list { optional int96 element; } }",
                "column days: moments in INT96",
            ),
            ("optional int64 at (TIME(MICROS,true));", "column at: its type is not kept"),
            ("optional int32 at (TIME(MILLIS,true));", "column at: its type is not kept"),
        ] {
            let why = checked(column).unwrap_err();
            assert!(why.contains(word), "{column}: {why}");
        }
    }

    #[test]
    fn what_the_output_has_is_kept() {
        for column in [
            "optional int64 at (TIMESTAMP(MICROS,true));",
            "optional int64 at (TIMESTAMP(NANOS,false));",
            "optional int64 at (TIMESTAMP_MILLIS);",
            "optional int64 at (TIME(MICROS,false));",
            "optional int32 day (DATE);",
            "optional int64 number (INTEGER(64,true));",
            "optional int32 number (INTEGER(8,false));",
            "optional int64 sum (DECIMAL(12,2));",
            "optional fixed_len_byte_array(16) sum (DECIMAL(38,4));",
            "optional fixed_len_byte_array(16) id (UUID);",
            "optional fixed_len_byte_array(2) half (FLOAT16);",
            "optional binary state (ENUM);",
            "optional binary raw;",
            "optional boolean yes;",
            "optional double number;",
            "optional group tags (LIST) { repeated group list { optional binary element (UTF8); } }",
            "optional group tags (MAP) { repeated group key_value { required binary key (UTF8); optional int32 value; } }",
            "optional group card { required binary brand (UTF8); optional int32 year; }",
        ] {
            assert_eq!(checked(column), Ok(()), "{column}");
        }
    }
}
