int S3::n = 1;
