-- What a bundle has for its owner alone. `bytes` counts it, so what reads `bytes` is dropped first and made again as it was.
DROP TRIGGER content_counted;
--> statement-breakpoint
DROP TRIGGER content_recounted;
--> statement-breakpoint
DROP TRIGGER history_changes_hands;
--> statement-breakpoint
DROP TRIGGER history_gone;
--> statement-breakpoint
DROP VIEW bundle_sizes;
--> statement-breakpoint
ALTER TABLE `bundles` DROP COLUMN `bytes`;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `external_id` text;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `metadata` text;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `bytes` integer GENERATED ALWAYS AS (octet_length("urls") + octet_length("url_metadata") + octet_length("variables") + coalesce(octet_length("title"), 0) + coalesce(octet_length("description"), 0) + coalesce(octet_length("opens_at"), 0) + coalesce(octet_length("closes_at"), 0) + coalesce(octet_length("closed_note"), 0) + octet_length("access") + octet_length("copyable") + coalesce(octet_length("resolution_policy"), 0) + coalesce(octet_length("external_id"), 0) + coalesce(octet_length("metadata"), 0) + 256) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `bundles_external_id_ever` ON `bundles` (`owner_id`,`external_id`,`deleted_at`) WHERE "bundles"."external_id" IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `bundles_external_id` ON `bundles` (`owner_id`,`external_id`) WHERE "bundles"."external_id" IS NOT NULL AND "bundles"."deleted_at" IS NULL;
--> statement-breakpoint
-- == owners.history_bytes: twice the bytes of each bundle, with those of its versions and parts, and 64 for each rule. ==
-- What a cascade deletes finds its bundle gone already, and is subtracted by history_gone; the others are for what is deleted
-- while the bundle stays.
CREATE TRIGGER content_counted AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET history_bytes = history_bytes + 2 * new.bytes WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER content_recounted AFTER UPDATE ON bundles WHEN new.owner_id IS old.owner_id AND new.bytes <> old.bytes
BEGIN
	UPDATE owners SET history_bytes = history_bytes + 2 * (new.bytes - old.bytes) WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE VIEW bundle_sizes AS SELECT id, 2 * bytes
	+ (SELECT coalesce(sum(bytes), 0) FROM bundle_versions WHERE bundle_id = bundles.id)
	+ (SELECT coalesce(sum(bytes), 0) FROM version_parts WHERE bundle_id = bundles.id)
	+ (SELECT 64 * count(*) FROM policy_rules WHERE bundle_id = bundles.id) AS bytes FROM bundles;
--> statement-breakpoint
-- The view has the new content already.
CREATE TRIGGER history_changes_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	UPDATE owners SET history_bytes = history_bytes - (SELECT bytes FROM bundle_sizes WHERE id = old.id) - 2 * (old.bytes - new.bytes)
		WHERE id = old.owner_id;
	UPDATE owners SET history_bytes = history_bytes + (SELECT bytes FROM bundle_sizes WHERE id = new.id) WHERE id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER history_gone BEFORE DELETE ON bundles WHEN old.owner_id IS NOT NULL
BEGIN
	UPDATE owners SET history_bytes = history_bytes - (SELECT bytes FROM bundle_sizes WHERE id = old.id) WHERE id = old.owner_id;
END;
