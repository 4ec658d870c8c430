mod stubs;
