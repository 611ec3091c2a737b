CREATE TABLE `device_requests` (
	`hash` blob PRIMARY KEY NOT NULL,
	`user_code_hash` text NOT NULL,
	`client_hash` blob NOT NULL,
	`name` text NOT NULL,
	`audience` text NOT NULL,
	`scopes` text NOT NULL,
	`network_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`denied_at` integer,
	CONSTRAINT "device_requests_hashes" CHECK(length("device_requests"."hash") = 32 AND length("device_requests"."client_hash") = 32),
	CONSTRAINT "device_requests_name" CHECK(length("device_requests"."name") BETWEEN 1 AND 100),
	CONSTRAINT "device_requests_audience" CHECK("device_requests"."audience" IN ('mcp', 'api')),
	CONSTRAINT "device_requests_scopes" CHECK(json_valid("device_requests"."scopes"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `device_requests_user_code` ON `device_requests` (`user_code_hash`);--> statement-breakpoint
CREATE INDEX `device_requests_network` ON `device_requests` (`network_hash`,`expires_at`);--> statement-breakpoint
CREATE INDEX `device_requests_expires` ON `device_requests` (`expires_at`);