-- Generated, save WITHOUT ROWID, which drizzle cannot express.
CREATE TABLE `daily_opens` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`link` blob NOT NULL,
	`opens` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`, `link`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_opens_day" CHECK("daily_opens"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_opens_positive" CHECK("daily_opens"."opens" > 0)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `opened_links` (
	`bundle_id` integer NOT NULL,
	`link` blob NOT NULL,
	`url` text NOT NULL,
	PRIMARY KEY(`bundle_id`, `link`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "opened_links_link" CHECK(length("opened_links"."link") = 16)
) WITHOUT ROWID;
