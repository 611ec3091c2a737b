-- Hosts that no link leads to are kept no more; what robots.txt says, and whose turn it is, has a table each.
CREATE TABLE `outgoing_turns` (
	`place` text PRIMARY KEY NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `outgoing_turns_next` ON `outgoing_turns` (`next_at`);--> statement-breakpoint
CREATE TABLE `robots` (
	`authority` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`rules` text NOT NULL,
	`bytes` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `robots_of` ON `robots` (`owner_id`,`at`,`bytes`);--> statement-breakpoint
CREATE INDEX `robots_at` ON `robots` (`at`);--> statement-breakpoint
CREATE TABLE `__new_checked_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`lease` text
);
--> statement-breakpoint
INSERT INTO `__new_checked_hosts` (`host`, `due_at`) SELECT `host`, `due_at` FROM `checked_hosts`
	WHERE `due_at` IS NOT NULL AND EXISTS (SELECT 1 FROM `checked_links` WHERE `checked_links`.`host` = `checked_hosts`.`host` AND `checked_links`.`due_at` IS NOT NULL);
--> statement-breakpoint
DROP TABLE `checked_hosts`;--> statement-breakpoint
ALTER TABLE `__new_checked_hosts` RENAME TO `checked_hosts`;--> statement-breakpoint
CREATE INDEX `checked_hosts_due` ON `checked_hosts` (`due_at`);
--> statement-breakpoint
-- == A host without a link to look at is forgotten at once: kept, edits could leave any number of them behind. One that is being
-- looked at is forgotten by the process that does. ==
CREATE TRIGGER host_is_unused AFTER UPDATE OF due_at ON checked_links WHEN new.due_at IS NULL AND old.due_at IS NOT NULL
BEGIN
	DELETE FROM checked_hosts WHERE host = new.host AND lease IS NULL
		AND NOT EXISTS (SELECT 1 FROM checked_links WHERE host = new.host AND due_at IS NOT NULL);
END;
--> statement-breakpoint
CREATE TRIGGER host_is_gone AFTER DELETE ON checked_links WHEN old.due_at IS NOT NULL
BEGIN
	DELETE FROM checked_hosts WHERE host = old.host AND lease IS NULL
		AND NOT EXISTS (SELECT 1 FROM checked_links WHERE host = old.host AND due_at IS NOT NULL);
END;
