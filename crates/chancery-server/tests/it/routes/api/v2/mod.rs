mod token_profiles;
