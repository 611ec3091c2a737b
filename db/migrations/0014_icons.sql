-- Generated, save WITHOUT ROWID, which drizzle cannot express, the triggers, and the bundles that there are.
CREATE TABLE `bundle_sites` (
	`bundle_id` integer NOT NULL,
	`origin` text NOT NULL,
	PRIMARY KEY(`bundle_id`, `origin`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bundle_sites_origin` ON `bundle_sites` (`origin`,`bundle_id`);--> statement-breakpoint
CREATE TABLE `icons` (
	`id` text PRIMARY KEY NOT NULL,
	`png` blob NOT NULL,
	`tone` text,
	`unused_since` integer,
	CONSTRAINT "icons_png" CHECK(length("icons"."png") <= 16384),
	CONSTRAINT "icons_tone" CHECK("icons"."tone" IN ('light', 'dark'))
);
--> statement-breakpoint
CREATE INDEX `icons_unused` ON `icons` (`unused_since`) WHERE "icons"."unused_since" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sites` (
	`origin` text PRIMARY KEY NOT NULL,
	`icon_id` text,
	`due_at` integer NOT NULL,
	`unused_since` integer,
	FOREIGN KEY (`icon_id`) REFERENCES `icons`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sites_icon` ON `sites` (`icon_id`) WHERE "sites"."icon_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `sites_due` ON `sites` (`due_at`) WHERE "sites"."unused_since" IS NULL;--> statement-breakpoint
CREATE INDEX `sites_unused` ON `sites` (`unused_since`) WHERE "sites"."unused_since" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sites_pending` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bundle_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sites_pending_bundle_id_unique` ON `sites_pending` (`bundle_id`);
--> statement-breakpoint
-- == sites_pending: bundles whose links may be of other sites now. ==
-- Deleted first, because the policy of the statement that fires a trigger takes precedence over an OR REPLACE in it.
CREATE TRIGGER sites_begin AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO sites_pending (bundle_id) VALUES (new.id);
END;
--> statement-breakpoint
CREATE TRIGGER sites_outdated AFTER UPDATE OF urls, resolution_policy, owner_id, deleted_at ON bundles
	WHEN new.urls IS NOT old.urls OR new.resolution_policy IS NOT old.resolution_policy
		OR (new.owner_id IS NULL) <> (old.owner_id IS NULL) OR (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)
BEGIN
	DELETE FROM sites_pending WHERE bundle_id = new.id;
	INSERT INTO sites_pending (bundle_id) VALUES (new.id);
END;
--> statement-breakpoint
CREATE TRIGGER sites_gone AFTER DELETE ON bundles
BEGIN
	DELETE FROM sites_pending WHERE bundle_id = old.id;
	DELETE FROM bundle_sites WHERE bundle_id = old.id;
END;
--> statement-breakpoint
-- == sites.unused_since: null while a bundle links to it. ==
CREATE TRIGGER site_linked AFTER INSERT ON bundle_sites
BEGIN
	INSERT INTO sites (origin, due_at) VALUES (new.origin, CAST(unixepoch('subsec') * 1000 AS INTEGER))
		ON CONFLICT (origin) DO UPDATE SET unused_since = NULL;
END;
--> statement-breakpoint
CREATE TRIGGER site_unlinked AFTER DELETE ON bundle_sites
BEGIN
	UPDATE sites SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE origin = old.origin AND NOT EXISTS (SELECT 1 FROM bundle_sites WHERE origin = old.origin);
END;
--> statement-breakpoint
-- == icons.unused_since: null while a site has it. ==
CREATE TRIGGER icon_taken AFTER INSERT ON sites WHEN new.icon_id IS NOT NULL
BEGIN
	UPDATE icons SET unused_since = NULL WHERE id = new.icon_id;
END;
--> statement-breakpoint
CREATE TRIGGER icon_changed AFTER UPDATE OF icon_id ON sites WHEN new.icon_id IS NOT old.icon_id
BEGIN
	UPDATE icons SET unused_since = NULL WHERE id = new.icon_id;
	UPDATE icons SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE id = old.icon_id AND NOT EXISTS (SELECT 1 FROM sites WHERE icon_id = old.icon_id);
END;
--> statement-breakpoint
CREATE TRIGGER icon_left AFTER DELETE ON sites WHEN old.icon_id IS NOT NULL
BEGIN
	UPDATE icons SET unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER)
		WHERE id = old.icon_id AND NOT EXISTS (SELECT 1 FROM sites WHERE icon_id = old.icon_id);
END;
--> statement-breakpoint
-- repeat
INSERT INTO sites_pending (bundle_id) SELECT id FROM bundles
	WHERE id > (SELECT coalesce(max(bundle_id), 0) FROM sites_pending) AND owner_id IS NOT NULL AND deleted_at IS NULL
	ORDER BY id LIMIT 5000;
