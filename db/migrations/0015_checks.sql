-- Generated, save WITHOUT ROWID, which drizzle cannot express, and what follows the tables.
CREATE TABLE `bundle_links` (
	`bundle_id` integer NOT NULL,
	`link_id` integer NOT NULL,
	`told_of` integer,
	`repaired_of` integer,
	PRIMARY KEY(`bundle_id`, `link_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bundle_links_link` ON `bundle_links` (`link_id`,`bundle_id`);--> statement-breakpoint
CREATE TABLE `checked_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`due_at` integer,
	`lease` text,
	`next_at` integer DEFAULT 0 NOT NULL,
	`robots` text,
	`robots_at` integer,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `checked_hosts_due` ON `checked_hosts` (`due_at`) WHERE "checked_hosts"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `checked_hosts_used` ON `checked_hosts` (`used_at`);--> statement-breakpoint
CREATE TABLE `checked_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`host` text NOT NULL,
	`hash` text NOT NULL,
	`url` text NOT NULL,
	`state` text DEFAULT 'unknown' NOT NULL,
	`since` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`moves` integer DEFAULT 0 NOT NULL,
	`first_at` integer,
	`final_url` text,
	`due_at` integer,
	`unused_since` integer,
	`told_up_to` integer,
	CONSTRAINT "checked_links_state" CHECK("checked_links"."state" IN ('unknown', 'ok', 'moved', 'broken'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `checked_links_once` ON `checked_links` (`hash`,`owner_id`);--> statement-breakpoint
CREATE INDEX `checked_links_due` ON `checked_links` (`host`,`due_at`);--> statement-breakpoint
CREATE INDEX `checked_links_wrong` ON `checked_links` (`owner_id`,`state`) WHERE "checked_links"."state" IN ('moved', 'broken');--> statement-breakpoint
CREATE INDEX `checked_links_unused_of` ON `checked_links` (`owner_id`,`unused_since`) WHERE "checked_links"."unused_since" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `checked_links_untold` ON `checked_links` (`id`) WHERE "checked_links"."told_up_to" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `checked_links_unused` ON `checked_links` (`unused_since`) WHERE "checked_links"."unused_since" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `link_mails` (
	`user_id` text PRIMARY KEY NOT NULL,
	`due_at` integer,
	`sent_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `link_mails_due` ON `link_mails` (`due_at`) WHERE "link_mails"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `links_pending` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `owners` ADD `check_links` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `proposals` ADD `repairs` text;--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_repair` ON `proposals` (`bundle_id`,`repairs`) WHERE "proposals"."repairs" IS NOT NULL AND "proposals"."state" = 'open';--> statement-breakpoint
ALTER TABLE `user` ADD `mail_links_broken` integer DEFAULT true NOT NULL;
--> statement-breakpoint
-- == Links of bundles that somebody owns: each change leaves a row in links_pending, from which the service reads them. ==
CREATE TRIGGER links_begin AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO links_pending (bundle_id, changes) VALUES (new.id, 1) ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER links_outdated AFTER UPDATE OF urls, url_metadata, variables, owner_id, deleted_at ON bundles
	WHEN (new.owner_id IS NOT NULL OR old.owner_id IS NOT NULL) AND (new.urls <> old.urls OR new.url_metadata <> old.url_metadata
		OR new.variables <> old.variables OR new.owner_id IS NOT old.owner_id OR (new.deleted_at IS NULL) <> (old.deleted_at IS NULL))
BEGIN
	INSERT INTO links_pending (bundle_id, changes) VALUES (new.id, 1) ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER links_end AFTER DELETE ON bundles WHEN old.owner_id IS NOT NULL
BEGIN
	INSERT INTO links_pending (bundle_id, changes) VALUES (old.id, 1) ON CONFLICT DO UPDATE SET changes = changes + 1;
END;
--> statement-breakpoint
-- A bundle with a link that is broken or has moved is told of it, also if it is new.
CREATE TRIGGER link_is_used AFTER INSERT ON bundle_links
BEGIN
	UPDATE checked_links SET unused_since = NULL, told_up_to = CASE WHEN state IN ('moved', 'broken') THEN 0 END WHERE id = new.link_id;
END;
--> statement-breakpoint
-- What was never looked at, or has no owner, is no finding.
CREATE TRIGGER link_is_unused AFTER DELETE ON bundle_links WHEN NOT EXISTS (SELECT 1 FROM bundle_links WHERE link_id = old.link_id)
BEGIN
	UPDATE checked_links SET due_at = NULL, told_up_to = NULL, unused_since = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE id = old.link_id;
	DELETE FROM checked_links WHERE id = old.link_id AND (state = 'unknown' OR NOT EXISTS (SELECT 1 FROM owners WHERE id = owner_id));
END;
--> statement-breakpoint
-- repeat
INSERT INTO links_pending (bundle_id, changes) SELECT id, 1 FROM bundles
	WHERE id > (SELECT coalesce(max(bundle_id), 0) FROM links_pending) AND owner_id IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT 5000;
