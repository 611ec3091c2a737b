CREATE TABLE `shared_pins` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`pinned_at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `former_handles` (
	`handle_hash` text PRIMARY KEY NOT NULL,
	`organization_id` text,
	`ended_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `former_handles_organization` ON `former_handles` (`organization_id`) WHERE "former_handles"."organization_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `organization_pictures` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`png` blob NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_pictures_id` ON `organization_pictures` (`id`);--> statement-breakpoint
ALTER TABLE `bundles` ADD `listed` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `bundles_listed` ON `bundles` (`owner_id`) WHERE "bundles"."listed" = 1 AND "bundles"."deleted_at" IS NULL;--> statement-breakpoint
ALTER TABLE `organization` ADD `handle` text;--> statement-breakpoint
ALTER TABLE `organization` ADD `handle_hash` text;--> statement-breakpoint
ALTER TABLE `organization` ADD `color` text;--> statement-breakpoint
ALTER TABLE `organization` ADD `picture_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `organization_handle_unique` ON `organization` (`handle`);--> statement-breakpoint
ALTER TABLE `bundle_versions` ADD `listed` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Launchers show the name, the colour and the picture of the organisation they belong to.
DROP TRIGGER organization_renamed;
--> statement-breakpoint
CREATE TRIGGER organization_shown AFTER UPDATE OF name, handle, color, picture_id ON organization
	WHEN new.name IS NOT old.name OR new.handle IS NOT old.handle OR new.color IS NOT old.color OR new.picture_id IS NOT old.picture_id
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at)
		SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles
		WHERE owner_id = (SELECT id FROM owners WHERE organization_id = new.id) AND deleted_at IS NULL;
END;
--> statement-breakpoint
-- Start pages are kept until a bundle changes.
CREATE TRIGGER bundle_pinned_for_all AFTER INSERT ON shared_pins
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at) SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = new.bundle_id;
END;
--> statement-breakpoint
CREATE TRIGGER bundle_unpinned_for_all AFTER DELETE ON shared_pins
BEGIN
	INSERT INTO bundle_changes (bundle_id, slug, at) SELECT id, slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles WHERE id = old.bundle_id;
END;
--> statement-breakpoint
-- The new owner’s admins pin for themselves.
CREATE TRIGGER shared_pin_changes_hands AFTER UPDATE OF owner_id ON bundles WHEN new.owner_id IS NOT old.owner_id
BEGIN
	DELETE FROM shared_pins WHERE bundle_id = new.id;
END;
--> statement-breakpoint
-- == Handles: one that an organisation gives up, or that goes with it, stays taken. ==
-- RAISE, as the index on handles refuses one that is in use. An organisation may return to a handle that it had.
CREATE TRIGGER handle_is_free BEFORE UPDATE OF handle ON organization
	WHEN new.handle IS NOT NULL AND EXISTS (SELECT 1 FROM former_handles WHERE handle_hash = new.handle_hash AND organization_id IS NOT new.id)
BEGIN
	SELECT RAISE(ABORT, 'UNIQUE constraint failed: organization.handle');
END;
--> statement-breakpoint
CREATE TRIGGER handle_ends AFTER UPDATE OF handle ON organization WHEN new.handle IS NOT old.handle
BEGIN
	DELETE FROM former_handles WHERE handle_hash = new.handle_hash AND organization_id = new.id;
	INSERT INTO former_handles (handle_hash, organization_id, ended_at)
		SELECT old.handle_hash, new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE old.handle IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER handle_retires AFTER DELETE ON organization WHEN old.handle IS NOT NULL
BEGIN
	INSERT INTO former_handles (handle_hash, ended_at) VALUES (old.handle_hash, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- == The log has these changes too. ==
DROP TRIGGER organization_is_updated;
--> statement-breakpoint
CREATE TRIGGER organization_is_updated AFTER UPDATE OF name, slug, logo, metadata, handle, color, picture_id ON organization
	WHEN new.name <> old.name OR new.slug <> old.slug OR new.logo IS NOT old.logo OR new.metadata IS NOT old.metadata
		OR new.handle IS NOT old.handle OR new.color IS NOT old.color OR new.picture_id IS NOT old.picture_id
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) SELECT new.id, 'organization.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'name', 'from', old.name, 'to', new.name) AS change WHERE new.name <> old.name
		UNION ALL SELECT json_object('field', 'slug') WHERE new.slug <> old.slug
		UNION ALL SELECT json_object('field', 'logo') WHERE new.logo IS NOT old.logo
		UNION ALL SELECT json_object('field', 'metadata') WHERE new.metadata IS NOT old.metadata
		UNION ALL SELECT json_object('field', 'handle', 'from', old.handle, 'to', new.handle) WHERE new.handle IS NOT old.handle
		UNION ALL SELECT json_object('field', 'color', 'from', old.color, 'to', new.color) WHERE new.color IS NOT old.color
		UNION ALL SELECT json_object('field', 'picture') WHERE new.picture_id IS NOT old.picture_id);
END;
