-- Where in a distributed trace a job was enqueued (W3C Trace Context). NULL for a job without a trace.
ALTER TABLE job_specs ADD COLUMN traceparent TEXT;
ALTER TABLE job_specs ADD COLUMN tracestate TEXT;
