int S3::n = 2;
