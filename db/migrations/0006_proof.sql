CREATE TABLE `retired_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `minter_left_at` integer;--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `bytes` integer GENERATED ALWAYS AS (length(CAST("urls" AS BLOB)) + length(CAST("url_metadata" AS BLOB)) + coalesce(length(CAST("title" AS BLOB)), 0) + coalesce(length(CAST("description" AS BLOB)), 0) + coalesce(length(CAST("resolution_policy" AS BLOB)), 0)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `owners` ADD `history_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `created_by` text REFERENCES user(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `organization_created_by` ON `organization` (`created_by`) WHERE "organization"."created_by" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `user` ADD `taken_email` text;--> statement-breakpoint
ALTER TABLE `user` ADD `taken_hint` integer;--> statement-breakpoint
CREATE INDEX `user_taken_email` ON `user` (`taken_email`) WHERE "user"."taken_email" IS NOT NULL;
--> statement-breakpoint
UPDATE `owners` SET `history_bytes` = (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` JOIN `bundles` ON `bundles`.`id` = `bundle_id` WHERE `bundles`.`owner_id` = `owners`.`id`);
--> statement-breakpoint
CREATE TRIGGER `version_counted` AFTER INSERT ON `bundle_versions`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` + new.`bytes` WHERE `id` = (SELECT `owner_id` FROM `bundles` WHERE `id` = new.`bundle_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `history_changes_hands` AFTER UPDATE OF `owner_id` ON `bundles` WHEN new.`owner_id` IS NOT old.`owner_id`
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
	UPDATE `owners` SET `history_bytes` = `history_bytes` + (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) WHERE `id` = new.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `history_gone` BEFORE DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL
BEGIN
	UPDATE `owners` SET `history_bytes` = `history_bytes` - (SELECT coalesce(sum(`bytes`), 0) FROM `bundle_versions` WHERE `bundle_id` = old.`id`) WHERE `id` = old.`owner_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `slug_retires` AFTER DELETE ON `bundles`
BEGIN
	INSERT OR IGNORE INTO `retired_slugs` (`slug`, `at`) VALUES (old.`slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER `slug_stays_retired` BEFORE INSERT ON `bundles` WHEN EXISTS (SELECT 1 FROM `retired_slugs` WHERE `slug` = new.`slug`)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: bundles.slug');
END;
--> statement-breakpoint
CREATE TRIGGER `member_left` AFTER DELETE ON `member`
BEGIN
	UPDATE `api_keys` SET `minter_left_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE `minted_by` = old.`user_id` AND `minter_left_at` IS NULL AND `owner_id` = (SELECT `id` FROM `owners` WHERE `organization_id` = old.`organization_id`);
	UPDATE `invitation` SET `status` = 'canceled' WHERE `organization_id` = old.`organization_id` AND `inviter_id` = old.`user_id` AND `status` = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `member_demoted` AFTER UPDATE OF `role` ON `member` WHEN old.`role` = 'admin' AND new.`role` <> 'admin'
BEGIN
	UPDATE `invitation` SET `status` = 'canceled' WHERE `organization_id` = old.`organization_id` AND `inviter_id` = old.`user_id` AND `status` = 'pending';
END;
--> statement-breakpoint
UPDATE `account` SET `access_token` = NULL, `refresh_token` = NULL, `id_token` = NULL, `access_token_expires_at` = NULL, `refresh_token_expires_at` = NULL;
--> statement-breakpoint
UPDATE `invitation` SET `status` = 'canceled' WHERE `status` = 'pending' AND NOT EXISTS (SELECT 1 FROM `member` WHERE `member`.`organization_id` = `invitation`.`organization_id` AND `member`.`user_id` = `invitation`.`inviter_id` AND `member`.`role` = 'admin');
--> statement-breakpoint
UPDATE `api_keys` SET `minter_left_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE EXISTS (SELECT 1 FROM `owners` WHERE `owners`.`id` = `api_keys`.`owner_id` AND `owners`.`organization_id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `member` WHERE `member`.`organization_id` = `owners`.`organization_id` AND `member`.`user_id` = `api_keys`.`minted_by`));
--> statement-breakpoint
UPDATE `organization` SET `created_by` = (SELECT `user_id` FROM `member` WHERE `organization_id` = `organization`.`id` AND `role` = 'admin') WHERE (SELECT count(*) FROM `member` WHERE `organization_id` = `organization`.`id` AND `role` = 'admin') = 1;
--> statement-breakpoint
CREATE TRIGGER `invitation_by_admin` BEFORE INSERT ON `invitation` WHEN NOT EXISTS (SELECT 1 FROM `member` WHERE `organization_id` = new.`organization_id` AND `user_id` = new.`inviter_id` AND `role` = 'admin')
BEGIN
	SELECT RAISE(ABORT, 'invitation needs an admin');
END;