CREATE TABLE `daily_breakdowns` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`dimension` text NOT NULL,
	`value` text NOT NULL,
	`views` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`, `dimension`, `value`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_breakdowns_day" CHECK("daily_breakdowns"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_breakdowns_dimension" CHECK("daily_breakdowns"."dimension" IN ('referrer', 'device', 'language', 'country')),
	CONSTRAINT "daily_breakdowns_value" CHECK(length("daily_breakdowns"."value") <= 253),
	CONSTRAINT "daily_breakdowns_positive" CHECK("daily_breakdowns"."views" > 0)
) WITHOUT ROWID;
