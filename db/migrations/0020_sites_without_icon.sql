-- Of a site without an icon nothing is worth keeping once no bundle links to it: edits could leave any number of such rows behind.
DROP TRIGGER site_unlinked;
--> statement-breakpoint
CREATE TRIGGER site_unlinked AFTER DELETE ON bundle_sites WHEN NOT EXISTS (SELECT 1 FROM bundle_sites WHERE origin = old.origin)
BEGIN
	DELETE FROM sites WHERE origin = old.origin AND icon_id IS NULL;
	UPDATE sites SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE origin = old.origin;
END;
--> statement-breakpoint
-- repeat
DELETE FROM sites WHERE rowid IN (SELECT rowid FROM sites WHERE unused_since IS NOT NULL AND icon_id IS NULL LIMIT 5000);
