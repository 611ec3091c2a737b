DROP TRIGGER `version_counted`;
--> statement-breakpoint
DROP TRIGGER `version_recounted`;
--> statement-breakpoint
DROP TRIGGER `version_gone`;
--> statement-breakpoint
DROP TRIGGER `history_changes_hands`;
--> statement-breakpoint
DROP TRIGGER `history_gone`;
--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `copyable` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `copyable` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `bundle_versions` DROP COLUMN `bytes`;
--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `bytes` integer GENERATED ALWAYS AS (length(CAST("urls" AS BLOB)) + length(CAST("url_metadata" AS BLOB)) + coalesce(length(CAST("title" AS BLOB)), 0) + coalesce(length(CAST("description" AS BLOB)), 0) + coalesce(length(CAST("opens_at" AS BLOB)), 0) + coalesce(length(CAST("closes_at" AS BLOB)), 0) + coalesce(length(CAST("closed_note" AS BLOB)), 0) + length(CAST("access" AS BLOB)) + length(CAST("copyable" AS BLOB)) + coalesce(length(CAST("resolution_policy" AS BLOB)), 0)) VIRTUAL;
--> statement-breakpoint
UPDATE `owners` SET `history_bytes` = `history_bytes` + (SELECT count(*) FROM `bundle_versions` JOIN `bundles` ON `bundles`.`id` = `bundle_versions`.`bundle_id` WHERE `bundles`.`owner_id` = `owners`.`id`);
--> statement-breakpoint
CREATE TRIGGER `version_counted` AFTER INSERT ON `bundle_versions`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `version_recounted` AFTER UPDATE OF `urls`, `url_metadata`, `title`, `description`, `opens_at`, `closes_at`, `closed_note`, `access`, `copyable`, `resolution_policy` ON `bundle_versions` WHEN new.`bytes` <> old.`bytes`
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
CREATE TRIGGER `history_changes_hands` AFTER UPDATE OF `owner_id` ON `bundles` WHEN new.`owner_id` IS NOT old.`owner_id`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) - (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
	UPDATE `owners` SET `history_bytes` = `history_bytes` + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) + (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `history_gone` BEFORE DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) - (SELECT coalesce(sum(`bytes`), 0) FROM `version_parts` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
DROP TRIGGER `bundle_changed`;
--> statement-breakpoint
CREATE TRIGGER `bundle_changed` AFTER UPDATE OF `title`, `description`, `urls`, `url_metadata`, `opens_at`, `closes_at`, `closed_note`, `access`, `copyable`, `resolution_policy`, `owner_id`, `deleted_at` ON `bundles`
BEGIN
	INSERT INTO `bundle_changes` (`slug`, `at`) VALUES (new.`slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
