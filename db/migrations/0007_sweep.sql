DROP TABLE `viewer_hashes`;--> statement-breakpoint
CREATE TABLE `viewer_hashes` (
	`day` integer NOT NULL,
	`bundle_id` integer NOT NULL,
	`hash` blob NOT NULL,
	PRIMARY KEY(`day`, `bundle_id`, `hash`),
	CONSTRAINT "viewer_hashes_day" CHECK(typeof("viewer_hashes"."day") = 'integer'),
	CONSTRAINT "viewer_hashes_hash" CHECK(typeof("viewer_hashes"."hash") = 'blob' AND length("viewer_hashes"."hash") = 16)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `__new_counter_batches` (
	`at` integer NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_counter_batches`("at", "id") SELECT "at", "id" FROM `counter_batches`;--> statement-breakpoint
DROP TABLE `counter_batches`;--> statement-breakpoint
ALTER TABLE `__new_counter_batches` RENAME TO `counter_batches`;--> statement-breakpoint
DROP INDEX `webhook_entities_at`;--> statement-breakpoint
CREATE INDEX `webhook_entities_unlinked` ON `webhook_entities` (`at`) WHERE "webhook_entities"."user_id" IS NULL;--> statement-breakpoint
CREATE INDEX `bundle_changes_at` ON `bundle_changes` (`at`);--> statement-breakpoint
CREATE INDEX `bundles_address_created` ON `bundles` (`created_at`) WHERE "bundles"."address_hash" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `session_expires` ON `session` (`expires_at`);--> statement-breakpoint
CREATE INDEX `verification_expires` ON `verification` (`expires_at`);--> statement-breakpoint
ALTER TABLE `owners` ADD `bundle_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `owners` SET `bundle_count` = (SELECT count(*) FROM `bundles` WHERE `owner_id` = `owners`.`id` AND `deleted_at` IS NULL);
--> statement-breakpoint
CREATE TRIGGER `bundle_counted` AFTER INSERT ON `bundles` WHEN new.`owner_id` IS NOT NULL AND new.`deleted_at` IS NULL
BEGIN
	UPDATE `owners` SET `bundle_count` = `bundle_count` + 1 WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_count_moves` AFTER UPDATE OF `owner_id`, `deleted_at` ON `bundles`
BEGIN
	UPDATE `owners` SET `bundle_count` = `bundle_count` - 1 WHERE `id` = old.`owner_id` AND old.`deleted_at` IS NULL;
	UPDATE `owners` SET `bundle_count` = `bundle_count` + 1 WHERE `id` = new.`owner_id` AND new.`deleted_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_uncounted` AFTER DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL AND old.`deleted_at` IS NULL
BEGIN
	UPDATE `owners` SET `bundle_count` = `bundle_count` - 1 WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `viewer_hashes_gone` AFTER DELETE ON `bundles`
BEGIN
	DELETE FROM `viewer_hashes` WHERE `day` = (SELECT max(`day`) FROM `viewer_hashes`) AND `bundle_id` = old.`id`;
END;
