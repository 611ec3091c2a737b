CREATE TABLE `search_erasure` (
	`id` integer PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL,
	`rewritten_for` integer NOT NULL,
	CONSTRAINT "search_erasure_one" CHECK("search_erasure"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `search_pending` (
	`owner_id` integer NOT NULL,
	`bundle_id` integer NOT NULL,
	PRIMARY KEY(`owner_id`, `bundle_id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `search_erasure` VALUES (1, 0, 0);
--> statement-breakpoint
-- Double quotes, because a dump made by sqld does not escape single ones.
CREATE VIRTUAL TABLE `bundle_index` USING fts5(`owner`, `text`, content = "", contentless_delete = 1, detail = none, tokenize = "trigram case_sensitive 1");
--> statement-breakpoint
DROP TRIGGER `search_outdated`;
--> statement-breakpoint
CREATE TRIGGER `search_outdated` AFTER UPDATE OF `slug`, `urls`, `url_metadata`, `title`, `description`, `closed_note` ON `bundles`
BEGIN
	DELETE FROM `bundle_search` WHERE `bundle_id` = new.`id`;
	INSERT OR IGNORE INTO `search_pending` SELECT new.`owner_id`, new.`id` WHERE new.`owner_id` IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `search_begins` AFTER INSERT ON `bundles` WHEN new.`owner_id` IS NOT NULL
BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (new.`owner_id`, new.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `search_changes_hands` AFTER UPDATE OF `owner_id` ON `bundles` WHEN new.`owner_id` IS NOT old.`owner_id`
BEGIN
	INSERT OR IGNORE INTO `search_pending` SELECT old.`owner_id`, old.`id` WHERE old.`owner_id` IS NOT NULL;
	INSERT OR IGNORE INTO `search_pending` SELECT new.`owner_id`, new.`id` WHERE new.`owner_id` IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `search_gone` AFTER DELETE ON `bundles` WHEN old.`owner_id` IS NOT NULL
BEGIN
	INSERT OR IGNORE INTO `search_pending` VALUES (old.`owner_id`, old.`id`);
	UPDATE `search_erasure` SET `erased_at` = CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
INSERT OR REPLACE INTO `search_backfill` SELECT 1, 0, `id` FROM `bundles` ORDER BY `id` DESC LIMIT 1;
