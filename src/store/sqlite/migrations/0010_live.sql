-- Grows with every change of a job that shows neither in the counters nor in the numbers given to jobs and claims:
-- progress, log lines, extended leases, changes by hand. Whoever shows jobs asks for it, whichever process wrote.
INSERT INTO sequences (name, value) VALUES ('job_note', 0);
