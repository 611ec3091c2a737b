-- Generated, save WITHOUT ROWID, which drizzle cannot express, and the triggers.
CREATE TABLE `pins` (
	`user_id` text NOT NULL,
	`bundle_id` integer NOT NULL,
	`pinned_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `bundle_id`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `pins_bundle` ON `pins` (`bundle_id`);
--> statement-breakpoint
-- A pin ends with the right to read its bundle, so that it neither counts nor comes back. Whoever may read a bundle that
-- moves keeps theirs.
CREATE TRIGGER pins_change_hands AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NOT NULL AND new.owner_id IS NOT old.owner_id
BEGIN
	DELETE FROM pins WHERE bundle_id = new.id AND NOT EXISTS (
		SELECT 1 FROM owners LEFT JOIN member ON member.organization_id = owners.organization_id AND member.user_id = pins.user_id
		WHERE owners.id = new.owner_id AND pins.user_id IN (owners.user_id, member.user_id));
END;
--> statement-breakpoint
CREATE TRIGGER pins_of_former_member AFTER DELETE ON member
BEGIN
	DELETE FROM pins WHERE user_id = old.user_id AND old.organization_id = (
		SELECT owners.organization_id FROM bundles JOIN owners ON owners.id = bundles.owner_id WHERE bundles.id = pins.bundle_id);
END;
