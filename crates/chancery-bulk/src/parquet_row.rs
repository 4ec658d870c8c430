//! A row of a Parquet file as JSON, for the file of refused rows: all its columns, so that it can be mended and added again.

use arrow_array::{Array, RecordBatch, cast::AsArray as _, types::*};
use arrow_schema::DataType;
use chancery_types::Base64;
use serde_json::{Value, json};

pub(crate) fn row(rows: &RecordBatch, row: usize) -> Value {
    let (schema, columns) = (rows.schema(), rows.columns());
    let members = schema.fields().iter().zip(columns).map(|(field, column)| (field.name().clone(), value(column, row)));
    Value::Object(members.collect())
}

/// Numbers as numbers, bytes in base64, times and decimals as texts. Times that no calendar has, and spans, are the numbers
/// that stand in the file. What none of these is comes as Arrow shows it.
fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return Value::Null;
    }
    let found = text(array, row)
        .or_else(|| number(array, row))
        .or_else(|| time(array, row))
        .or_else(|| raw(array, row))
        .or_else(|| nested(array, row));
    found.unwrap_or_else(|| format!("{:?}", array.slice(row, 1)).into())
}

fn text(array: &dyn Array, row: usize) -> Option<Value> {
    let string = array.as_string_opt::<i32>().map(|array| array.value(row));
    let string = string.or_else(|| Some(array.as_string_opt::<i64>()?.value(row)));
    let string = string.or_else(|| Some(array.as_string_view_opt()?.value(row)));
    let bytes = || {
        let bytes = array.as_binary_opt::<i32>().map(|array| array.value(row));
        let bytes = bytes.or_else(|| Some(array.as_binary_opt::<i64>()?.value(row)));
        let bytes = bytes.or_else(|| Some(array.as_binary_view_opt()?.value(row)));
        bytes.or_else(|| Some(array.as_fixed_size_binary_opt()?.value(row)))
    };
    string.map(Value::from).or_else(|| bytes().map(|bytes| Base64::encode(bytes).into()))
}

/// The value in the first of these types that the array is of, as this makes it of the array.
macro_rules! first_of {
    ($array:ident, $make:expr; $($of:ty)*) => {
        None$(.or_else(|| $array.as_primitive_opt::<$of>().map($make)))*
    };
}

fn number(array: &dyn Array, row: usize) -> Option<Value> {
    if let Some(array) = array.as_boolean_opt() {
        return Some(array.value(row).into());
    }
    let decimal = array.as_primitive_opt::<Decimal128Type>().map(|array| array.value_as_string(row));
    let decimal = decimal.or_else(|| Some(array.as_primitive_opt::<Decimal256Type>()?.value_as_string(row)));
    let whole = first_of!(array, |array| json!(array.value(row));
        Int8Type Int16Type Int32Type Int64Type UInt8Type UInt16Type UInt32Type UInt64Type);
    // JSON has no numbers for what is none and for what has no end.
    let float = first_of!(array, |array| {
        let float = array.value(row);
        if float.is_finite() { json!(float) } else { float.to_string().into() }
    }; Float32Type Float64Type);
    decimal.map(Value::from).or(whole).or(float)
}

fn time(array: &dyn Array, row: usize) -> Option<Value> {
    let zone = if matches!(array.data_type(), DataType::Timestamp(_, Some(_))) { "Z" } else { "" };
    let moment = first_of!(array, |array| array.value_as_datetime(row).map(|time| format!("{time:?}{zone}"));
        TimestampSecondType TimestampMillisecondType TimestampMicrosecondType TimestampNanosecondType);
    let date = first_of!(array, |array| array.value_as_date(row).map(|date| date.to_string()); Date32Type Date64Type);
    let of_day = first_of!(array, |array| array.value_as_time(row).map(|time| time.to_string());
        Time32SecondType Time32MillisecondType Time64MicrosecondType Time64NanosecondType);
    moment.or(date).or(of_day).flatten().map(Value::from)
}

fn raw(array: &dyn Array, row: usize) -> Option<Value> {
    first_of!(array, |array| json!(array.value(row));
        TimestampSecondType TimestampMillisecondType TimestampMicrosecondType TimestampNanosecondType
        Date32Type Date64Type Time32SecondType Time32MillisecondType Time64MicrosecondType Time64NanosecondType
        DurationSecondType DurationMillisecondType DurationMicrosecondType DurationNanosecondType)
}

fn nested(array: &dyn Array, row: usize) -> Option<Value> {
    if let Some(array) = array.as_struct_opt() {
        let members = array.column_names().into_iter().zip(array.columns());
        return Some(Value::Object(members.map(|(name, column)| (name.to_owned(), value(column, row))).collect()));
    }
    if let Some(array) = array.as_any_dictionary_opt() {
        return Some(value(array.values(), array.normalized_keys()[row]));
    }
    if let Some(array) = array.as_map_opt() {
        return Some(all(&array.value(row)));
    }
    let list = array.as_list_opt::<i32>().map(|array| array.value(row));
    let list = list.or_else(|| Some(array.as_list_opt::<i64>()?.value(row)));
    let list = list.or_else(|| Some(array.as_fixed_size_list_opt()?.value(row)));
    list.map(|list| all(&list))
}

fn all(array: &dyn Array) -> Value {
    (0..array.len()).map(|row| value(array, row)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, DurationSecondArray,
        Float64Array, Int32Array, ListArray, NullArray, StringArray, StructArray, TimestampMillisecondArray,
        UInt64Array,
    };

    use super::*;

    #[test]
    fn a_row_has_all_its_columns() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None])]);
        let text: ArrayRef = Arc::new(StringArray::from(vec!["é\""]));
        let of_struct = StructArray::try_from(vec![("a", Arc::clone(&text))]).unwrap();
        let moment = TimestampMillisecondArray::from(vec![1_700_000_000_123]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", text),
            ("null", Arc::new(Int32Array::from(vec![None]))),
            ("bool", Arc::new(BooleanArray::from(vec![true]))),
            ("large", Arc::new(UInt64Array::from(vec![u64::MAX]))),
            ("float", Arc::new(Float64Array::from(vec![1.5]))),
            ("none", Arc::new(Float64Array::from(vec![f64::NAN]))),
            ("far", Arc::new(Date32Array::from(vec![i32::MAX]))),
            ("nothing", Arc::new(NullArray::new(1))),
            ("decimal", Arc::new(Decimal128Array::from(vec![-12345]).with_precision_and_scale(9, 2).unwrap())),
            ("bytes", Arc::new(BinaryArray::from(vec![&b"\xff\x00"[..]]))),
            ("date", Arc::new(Date32Array::from(vec![19_675]))),
            ("local", Arc::new(moment.clone())),
            ("utc", Arc::new(moment.with_timezone("Europe/Berlin"))),
            ("list", Arc::new(list)),
            ("struct", Arc::new(of_struct)),
            ("dictionary", Arc::new(DictionaryArray::<Int32Type>::from_iter(["x"]))),
            ("other", Arc::new(DurationSecondArray::from(vec![77]))),
        ];
        let mut row =
            row(&RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).unwrap(), 0);
        assert_eq!(row["other"].take(), 77);
        let expected = json!({
            "text": "é\"", "null": null, "bool": true, "large": u64::MAX, "float": 1.5, "none": "NaN", "far": i32::MAX, "nothing": null, "decimal": "-123.45",
            "bytes": "/wA=", "date": "2023-11-14", "local": "2023-11-14T22:13:20.123",
            "utc": "2023-11-14T22:13:20.123Z", "list": [1, null], "struct": {"a": "é\""}, "dictionary": "x",
            "other": null,
        });
        assert_eq!(row, expected);
    }
}
