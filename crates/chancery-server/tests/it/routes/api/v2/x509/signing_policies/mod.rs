mod uuid;
