-- A new field of the content: `bytes` of both tables counts it, so what reads `bytes` is dropped first and made again as it was.
DROP TRIGGER content_counted;
--> statement-breakpoint
DROP TRIGGER content_recounted;
--> statement-breakpoint
DROP TRIGGER version_counted;
--> statement-breakpoint
DROP TRIGGER version_gone;
--> statement-breakpoint
DROP TRIGGER history_changes_hands;
--> statement-breakpoint
DROP TRIGGER history_gone;
--> statement-breakpoint
DROP VIEW bundle_sizes;
--> statement-breakpoint
ALTER TABLE `bundle_versions` DROP COLUMN `bytes`;
--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `icons` integer DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `bytes` integer GENERATED ALWAYS AS (octet_length("urls") + octet_length("url_metadata") + octet_length("variables") + coalesce(octet_length("title"), 0) + coalesce(octet_length("description"), 0) + coalesce(octet_length("opens_at"), 0) + coalesce(octet_length("closes_at"), 0) + coalesce(octet_length("closed_note"), 0) + octet_length("access") + octet_length("copyable") + octet_length("icons") + coalesce(octet_length("resolution_policy"), 0) + 192) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `bundles` DROP COLUMN `bytes`;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `icons` integer DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE `bundles` ADD `bytes` integer GENERATED ALWAYS AS (octet_length("urls") + octet_length("url_metadata") + octet_length("variables") + coalesce(octet_length("title"), 0) + coalesce(octet_length("description"), 0) + coalesce(octet_length("opens_at"), 0) + coalesce(octet_length("closes_at"), 0) + coalesce(octet_length("closed_note"), 0) + octet_length("access") + octet_length("copyable") + octet_length("icons") + coalesce(octet_length("resolution_policy"), 0) + coalesce(octet_length("external_id"), 0) + coalesce(octet_length("metadata"), 0) + 256) VIRTUAL;
--> statement-breakpoint
-- One byte of each row that is there, and twice that of a bundle.
UPDATE owners SET history_bytes = history_bytes + (
	SELECT coalesce(sum(2 + (SELECT count(*) FROM bundle_versions WHERE bundle_id = bundles.id)), 0) FROM bundles WHERE owner_id = owners.id
);
--> statement-breakpoint
-- == owners.history_bytes: see 0002_variables.sql. ==
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
CREATE TRIGGER version_counted AFTER INSERT ON bundle_versions
BEGIN
	UPDATE owners SET history_bytes = history_bytes + new.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = new.bundle_id);
END;
--> statement-breakpoint
-- The last version that uses a part takes it along.
CREATE TRIGGER version_gone AFTER DELETE ON bundle_versions WHEN EXISTS (SELECT 1 FROM bundles WHERE id = old.bundle_id)
BEGIN
	UPDATE owners SET history_bytes = history_bytes - old.bytes WHERE id = (SELECT owner_id FROM bundles WHERE id = old.bundle_id);
	DELETE FROM version_parts WHERE id IN (old.urls_part, old.url_metadata_part, old.variables_part, old.description_part, old.resolution_policy_part)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE urls_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE url_metadata_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE variables_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE description_part = version_parts.id)
		AND NOT EXISTS (SELECT 1 FROM bundle_versions WHERE resolution_policy_part = version_parts.id);
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
--> statement-breakpoint
-- Nothing is asked of sites for a bundle that shows no icons.
DROP TRIGGER sites_outdated;
--> statement-breakpoint
CREATE TRIGGER sites_outdated AFTER UPDATE OF urls, resolution_policy, owner_id, deleted_at, icons ON bundles
	WHEN new.urls IS NOT old.urls OR new.resolution_policy IS NOT old.resolution_policy OR new.icons <> old.icons
		OR (new.owner_id IS NULL) <> (old.owner_id IS NULL) OR (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)
BEGIN
	DELETE FROM sites_pending WHERE bundle_id = new.id;
	INSERT INTO sites_pending (bundle_id) VALUES (new.id);
END;
