ALTER TABLE `bundles` ADD `slug_hash` text;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `viewed_at` integer;
--> statement-breakpoint
CREATE INDEX `bundles_deleted` ON `bundles` (`deleted_at`) WHERE "bundles"."deleted_at" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `bundles_unclaimed` ON `bundles` (CASE WHEN "owner_id" IS NULL AND "deleted_at" IS NULL THEN coalesce("viewed_at", "created_at") END) WHERE CASE WHEN "owner_id" IS NULL AND "deleted_at" IS NULL THEN coalesce("viewed_at", "created_at") END IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `retired_slugs_plain` ON `retired_slugs` (`at`) WHERE "retired_slugs"."slug" NOT GLOB '#*';
--> statement-breakpoint
DROP TRIGGER `slug_retires`;
--> statement-breakpoint
CREATE TRIGGER `slug_retires` AFTER DELETE ON `bundles`
BEGIN
	INSERT OR IGNORE INTO `retired_slugs` (`slug`, `at`) VALUES (coalesce(old.`slug_hash`, old.`slug`), CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
DROP TRIGGER `slug_stays_retired`;
--> statement-breakpoint
CREATE TRIGGER `slug_stays_retired` BEFORE INSERT ON `bundles` WHEN EXISTS (SELECT 1 FROM `retired_slugs` WHERE `slug` IN (new.`slug`, new.`slug_hash`))
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: bundles.slug');
END;
