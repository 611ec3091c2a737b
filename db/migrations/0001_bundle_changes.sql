CREATE TRIGGER `bundle_changed` AFTER UPDATE OF `title`, `description`, `urls`, `url_metadata`, `resolution_policy`, `owner_id`, `deleted_at` ON `bundles`
BEGIN
	INSERT INTO `bundle_changes` (`slug`, `at`) VALUES (new.`slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER `bundle_gone` AFTER DELETE ON `bundles`
BEGIN
	INSERT INTO `bundle_changes` (`slug`, `at`) VALUES (old.`slug`, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
