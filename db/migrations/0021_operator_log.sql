CREATE TABLE `operator_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`operator` text,
	`command` text NOT NULL,
	`target` text
);

--> statement-breakpoint
-- A thousand of the newest are kept.
CREATE TRIGGER operator_log_is_bounded AFTER INSERT ON operator_log
BEGIN
	DELETE FROM operator_log WHERE id <= new.id - 1000;
END;
