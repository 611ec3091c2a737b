CREATE TABLE `version_backfill` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_bundle` integer NOT NULL,
	`after_version` integer NOT NULL,
	`until_bundle` integer NOT NULL,
	CONSTRAINT "version_backfill_one" CHECK("version_backfill"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `version_parts` (
	`id` integer PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`hash` blob NOT NULL,
	`bytes` integer GENERATED ALWAYS AS (length(CAST("content" AS BLOB))) STORED,
	`content` text NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "version_parts_hash" CHECK(length("version_parts"."hash") = 32)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `version_parts_content` ON `version_parts` (`bundle_id`,`hash`);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `urls_part` integer REFERENCES version_parts(id);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `url_metadata_part` integer REFERENCES version_parts(id);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `description_part` integer REFERENCES version_parts(id);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `resolution_policy_part` integer REFERENCES version_parts(id);--> statement-breakpoint
CREATE INDEX `bundle_versions_urls_part` ON `bundle_versions` (`urls_part`) WHERE "bundle_versions"."urls_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_url_metadata_part` ON `bundle_versions` (`url_metadata_part`) WHERE "bundle_versions"."url_metadata_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_description_part` ON `bundle_versions` (`description_part`) WHERE "bundle_versions"."description_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_resolution_policy_part` ON `bundle_versions` (`resolution_policy_part`) WHERE "bundle_versions"."resolution_policy_part" IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER `version_recounted` AFTER UPDATE OF `urls`, `url_metadata`, `title`, `description`, `resolution_policy` ON `bundle_versions` WHEN new.`bytes` <> old.`bytes`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - old.`bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `version_gone` AFTER DELETE ON `bundle_versions` WHEN EXISTS (SELECT 1 FROM `bundles` WHERE `id` = old.`bundle_id`)
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - old.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = old.`bundle_id`);
	DELETE FROM `version_parts` WHERE `id` IN (old.`urls_part`, old.`url_metadata_part`, old.`description_part`, old.`resolution_policy_part`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `urls_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `url_metadata_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `description_part` = `version_parts`.`id`)
		AND NOT EXISTS (SELECT 1 FROM `bundle_versions` WHERE `resolution_policy_part` = `version_parts`.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `part_counted` AFTER INSERT ON `version_parts`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `part_gone` AFTER DELETE ON `version_parts`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - old.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = old.`bundle_id`);
END;
--> statement-breakpoint
DROP TRIGGER `history_changes_hands`;
--> statement-breakpoint
CREATE TRIGGER `history_changes_hands` AFTER UPDATE OF `owner_id` ON `bundles` WHEN new.`owner_id` IS NOT old.`owner_id`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) - (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
	UPDATE `owners` SET `history_bytes` = `history_bytes` + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
DROP TRIGGER `history_gone`;
--> statement-breakpoint
CREATE TRIGGER `history_gone` BEFORE DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) - (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
INSERT INTO `version_backfill` SELECT 1, 0, 0, `bundle_id` FROM `bundle_versions` ORDER BY `bundle_id` DESC LIMIT 1;
