CREATE TABLE `blocked_bundles` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bundle_id` integer NOT NULL,
	`reason` text NOT NULL,
	`detail` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "reports_reason" CHECK("reports"."reason" IN ('phishing', 'malware', 'illegal', 'spam', 'other'))
);
--> statement-breakpoint
CREATE INDEX `reports_bundle` ON `reports` (`bundle_id`);--> statement-breakpoint
CREATE TRIGGER `bundle_blocked` AFTER INSERT ON `blocked_bundles`
BEGIN
	INSERT INTO `bundle_changes` (`slug`, `at`) SELECT `slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM `bundles` WHERE `id` = new.`bundle_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_unblocked` AFTER DELETE ON `blocked_bundles`
BEGIN
	INSERT INTO `bundle_changes` (`slug`, `at`) SELECT `slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM `bundles` WHERE `id` = old.`bundle_id`;
END;
