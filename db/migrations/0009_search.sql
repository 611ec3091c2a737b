CREATE TABLE `bundle_search` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `search_backfill` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_bundle` integer NOT NULL,
	`until_bundle` integer NOT NULL,
	CONSTRAINT "search_backfill_one" CHECK("search_backfill"."id" = 1)
);
--> statement-breakpoint
CREATE TRIGGER `search_outdated` AFTER UPDATE OF `slug`, `urls`, `url_metadata`, `title`, `description` ON `bundles`
BEGIN
	DELETE FROM `bundle_search` WHERE `bundle_id` = new.`id`;
END;
--> statement-breakpoint
INSERT INTO `search_backfill` SELECT 1, 0, `id` FROM `bundles` ORDER BY `id` DESC LIMIT 1;
