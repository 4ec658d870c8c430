mod v2;
