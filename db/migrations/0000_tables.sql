-- Generated, save what drizzle cannot express: WITHOUT ROWID, and the index bundles_unclaimed on an expression.
CREATE TABLE `blocked_bundles` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `operator_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`operator` text,
	`command` text NOT NULL,
	`target` text
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
CREATE TABLE `aliases` (
	`slug` text PRIMARY KEY NOT NULL,
	`slug_hash` text NOT NULL,
	`bundle_id` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `aliases_bundle` ON `aliases` (`bundle_id`);--> statement-breakpoint
CREATE TABLE `bundle_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bundle_id` integer NOT NULL,
	`owner_id` integer,
	`slug` text,
	`for_search` integer DEFAULT 0 NOT NULL,
	`for_sites` integer DEFAULT 0 NOT NULL,
	`for_links` integer DEFAULT 0 NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bundle_changes_search` ON `bundle_changes` (`owner_id`,`bundle_id`) WHERE "bundle_changes"."for_search" = 1;--> statement-breakpoint
CREATE INDEX `bundle_changes_sites` ON `bundle_changes` (`for_sites`) WHERE "bundle_changes"."for_sites" = 1;--> statement-breakpoint
CREATE INDEX `bundle_changes_links` ON `bundle_changes` (`for_links`) WHERE "bundle_changes"."for_links" = 1;--> statement-breakpoint
CREATE INDEX `bundle_changes_at` ON `bundle_changes` (`at`) WHERE "bundle_changes"."for_search" = 0 AND "bundle_changes"."for_sites" = 0 AND "bundle_changes"."for_links" = 0;--> statement-breakpoint
CREATE TABLE `bundle_passwords` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `bundle_search` (
	`bundle_id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `bundles` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`slug_hash` text NOT NULL,
	`owner_id` integer,
	`bytes` integer DEFAULT 256 NOT NULL,
	`urls` text NOT NULL,
	`url_metadata` text NOT NULL,
	`variables` text DEFAULT '[]' NOT NULL,
	`title` text,
	`description` text,
	`opens_at` text,
	`closes_at` text,
	`closed_note` text,
	`access` text DEFAULT 'link' NOT NULL,
	`copyable` integer DEFAULT false NOT NULL,
	`icons` integer DEFAULT true NOT NULL,
	`resolution_policy` text,
	`source` text NOT NULL,
	`client` text,
	`external_id` text,
	`metadata` text,
	`aliases` text,
	`address_hash` text,
	`version_number` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	`viewed_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "bundles_slug_length" CHECK(length("bundles"."slug") BETWEEN 3 AND 64),
	CONSTRAINT "bundles_urls" CHECK(json_valid("bundles"."urls") AND json_array_length("bundles"."urls") BETWEEN 1 AND 25),
	CONSTRAINT "bundles_metadata" CHECK(json_array_length("bundles"."url_metadata") = json_array_length("bundles"."urls")),
	CONSTRAINT "bundles_source" CHECK("bundles"."source" IN ('web', 'api', 'cli', 'sdk', 'mcp', 'extension', 'import')),
	CONSTRAINT "bundles_version" CHECK("bundles"."version_number" >= 1),
	CONSTRAINT "bundles_address_unowned" CHECK("bundles"."address_hash" IS NULL OR "bundles"."owner_id" IS NULL)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bundles_slug` ON `bundles` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `bundles_external_id` ON `bundles` (`owner_id`,`external_id`) WHERE "bundles"."external_id" IS NOT NULL AND "bundles"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX `bundles_external_id_ever` ON `bundles` (`owner_id`,`external_id`,`deleted_at`) WHERE "bundles"."external_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundles_owner` ON `bundles` (`owner_id`,`deleted_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `bundles_owner_updated` ON `bundles` (`owner_id`,`deleted_at`,`updated_at`);--> statement-breakpoint
CREATE INDEX `bundles_address` ON `bundles` (`address_hash`) WHERE "bundles"."address_hash" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundles_address_created` ON `bundles` (`created_at`) WHERE "bundles"."address_hash" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundles_deleted` ON `bundles` (`deleted_at`) WHERE "bundles"."deleted_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundles_unclaimed` ON `bundles` (CASE WHEN "owner_id" IS NULL AND "deleted_at" IS NULL THEN coalesce("viewed_at", "created_at") END) WHERE CASE WHEN "bundles"."owner_id" IS NULL AND "bundles"."deleted_at" IS NULL THEN coalesce("bundles"."viewed_at", "bundles"."created_at") END IS NOT NULL;--> statement-breakpoint
CREATE TABLE `claims` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`email` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_bundle_id_unique` ON `claims` (`bundle_id`);--> statement-breakpoint
CREATE INDEX `claims_expires` ON `claims` (`expires_at`);--> statement-breakpoint
CREATE INDEX `claims_email` ON `claims` (`email`);--> statement-breakpoint
CREATE TABLE `pins` (
	`user_id` text NOT NULL,
	`bundle_id` integer NOT NULL,
	`pinned_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `bundle_id`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `pins_bundle` ON `pins` (`bundle_id`);--> statement-breakpoint
CREATE TABLE `policy_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "policy_rules_id" CHECK("policy_rules"."id" GLOB 'r_*')
);
--> statement-breakpoint
CREATE INDEX `policy_rules_bundle` ON `policy_rules` (`bundle_id`);--> statement-breakpoint
CREATE TABLE `retired_slugs` (
	`slug_hash` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_erasure` (
	`id` integer PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL,
	`rewritten_for` integer NOT NULL,
	CONSTRAINT "search_erasure_one" CHECK("search_erasure"."id" = 1)
);
--> statement-breakpoint
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
	`due_at` integer NOT NULL,
	`lease` text
);
--> statement-breakpoint
CREATE INDEX `checked_hosts_due` ON `checked_hosts` (`due_at`);--> statement-breakpoint
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
	`final_title` text,
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
CREATE TABLE `outgoing_turns` (
	`place` text PRIMARY KEY NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `outgoing_turns_next` ON `outgoing_turns` (`next_at`);--> statement-breakpoint
CREATE TABLE `robots` (
	`authority` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`rules` text NOT NULL,
	`bytes` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `robots_of` ON `robots` (`owner_id`,`at`,`bytes`);--> statement-breakpoint
CREATE INDEX `robots_at` ON `robots` (`at`);--> statement-breakpoint
CREATE TABLE `counter_batches` (
	`at` integer NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `daily_counters` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`rule_id` text DEFAULT '' NOT NULL,
	`views` integer DEFAULT 0 NOT NULL,
	`open_all_clicks` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`, `rule_id`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_counters_day" CHECK("daily_counters"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_counters_positive" CHECK("daily_counters"."views" >= 0 AND "daily_counters"."open_all_clicks" >= 0)
);
--> statement-breakpoint
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
CREATE TABLE `daily_viewers` (
	`bundle_id` integer NOT NULL,
	`day` text NOT NULL,
	`viewers` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `day`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "daily_viewers_day" CHECK("daily_viewers"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "daily_viewers_positive" CHECK("daily_viewers"."viewers" >= 0)
);
--> statement-breakpoint
CREATE TABLE `opened_links` (
	`bundle_id` integer NOT NULL,
	`link` blob NOT NULL,
	`url` text NOT NULL,
	PRIMARY KEY(`bundle_id`, `link`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "opened_links_link" CHECK(length("opened_links"."link") = 16)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `salts` (
	`day` text PRIMARY KEY NOT NULL,
	`salt` blob NOT NULL,
	CONSTRAINT "salts_day" CHECK("salts"."day" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
	CONSTRAINT "salts_length" CHECK(length("salts"."salt") = 32)
);
--> statement-breakpoint
CREATE TABLE `viewer_hashes` (
	`day` integer NOT NULL,
	`bundle_id` integer NOT NULL,
	`hash` blob NOT NULL,
	PRIMARY KEY(`day`, `bundle_id`, `hash`),
	CONSTRAINT "viewer_hashes_day" CHECK(typeof("viewer_hashes"."day") = 'integer'),
	CONSTRAINT "viewer_hashes_hash" CHECK(typeof("viewer_hashes"."hash") = 'blob' AND length("viewer_hashes"."hash") = 16)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `acting` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`user_id` text,
	`key_id` integer,
	`changes` text,
	CONSTRAINT "acting_one" CHECK("acting"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`owner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`type` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_user_id` text,
	`actor_key_id` integer,
	`bundle_id` integer,
	`target` text,
	`version_number` integer,
	`changes` text,
	`nth` integer NOT NULL,
	`at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	CONSTRAINT "events_actor_type" CHECK("events"."actor_type" IN ('user', 'key', 'app', 'provider', 'service'))
);
--> statement-breakpoint
CREATE INDEX `events_kind` ON `events` (`owner_id`,`kind`);--> statement-breakpoint
CREATE INDEX `events_actor` ON `events` (`actor_user_id`,`owner_id`) WHERE "events"."actor_user_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_target` ON `events` (`target`,`owner_id`) WHERE "events"."target" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_bundle` ON `events` (`bundle_id`) WHERE "events"."bundle_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_expires` ON `events` (`expires_at`);--> statement-breakpoint
CREATE TABLE `gone_owners` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `gone_owners_at` ON `gone_owners` (`at`);--> statement-breakpoint
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
CREATE TABLE `idempotency_answers` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`owner_id` integer,
	`request_hash` text NOT NULL,
	`agent_hash` text,
	`answer` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_answers_created` ON `idempotency_answers` (`created_at`);--> statement-breakpoint
CREATE INDEX `idempotency_answers_owner` ON `idempotency_answers` (`owner_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_user` ON `account` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_provider` ON `account` (`provider_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`inviter_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`inviter_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "invitation_role" CHECK("invitation"."role" IN ('viewer', 'editor', 'admin'))
);
--> statement-breakpoint
CREATE INDEX `invitation_organization` ON `invitation` (`organization_id`);--> statement-breakpoint
CREATE INDEX `invitation_email` ON `invitation` (`email`);--> statement-breakpoint
CREATE TABLE `member` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "member_role" CHECK("member"."role" IN ('viewer', 'editor', 'admin'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_once` ON `member` (`organization_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `member_user` ON `member` (`user_id`);--> statement-breakpoint
CREATE TABLE `organization` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`logo` text,
	`metadata` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`created_by`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_slug_unique` ON `organization` (`slug`);--> statement-breakpoint
CREATE INDEX `organization_created_by` ON `organization` (`created_by`) WHERE "organization"."created_by" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`user_id` text NOT NULL,
	`active_organization_id` text,
	`ip_address` text,
	`user_agent` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token_unique` ON `session` (`token`);--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE INDEX `session_expires` ON `session` (`expires_at`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`taken_email` text,
	`taken_hint` integer,
	`image` text,
	`disabled_at` integer,
	`mail_proposed` integer DEFAULT true NOT NULL,
	`mail_decided` integer DEFAULT true NOT NULL,
	`mail_key_ends` integer DEFAULT true NOT NULL,
	`mail_links_broken` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);--> statement-breakpoint
CREATE INDEX `user_taken_email` ON `user` (`taken_email`) WHERE "user"."taken_email" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verification_identifier` ON `verification` (`identifier`);--> statement-breakpoint
CREATE INDEX `verification_expires` ON `verification` (`expires_at`);--> statement-breakpoint
CREATE TABLE `instance` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`created_at` integer NOT NULL,
	`secret_hash` text,
	`secret_changed_at` integer,
	CONSTRAINT "instance_one" CHECK("instance"."row" = 1)
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`minted_by` text NOT NULL,
	`name` text NOT NULL,
	`key_prefix` text NOT NULL,
	`secret_hash` blob NOT NULL,
	`scopes` text NOT NULL,
	`rate_limit_per_hour` integer DEFAULT 1000 NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	`minter_left_at` integer,
	`expires_at` integer,
	`allowed_networks` text,
	`replaced_by` integer,
	`end_told_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "api_keys_name" CHECK(length("api_keys"."name") BETWEEN 1 AND 100),
	CONSTRAINT "api_keys_hash" CHECK(length("api_keys"."secret_hash") = 32),
	CONSTRAINT "api_keys_scopes" CHECK(json_valid("api_keys"."scopes") AND json_array_length("api_keys"."scopes") BETWEEN 1 AND 3),
	CONSTRAINT "api_keys_limit" CHECK("api_keys"."rate_limit_per_hour" BETWEEN 0 AND 100000)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_prefix` ON `api_keys` (`key_prefix`);--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`owner_id`);--> statement-breakpoint
CREATE INDEX `api_keys_ending` ON `api_keys` (`expires_at`) WHERE "api_keys"."expires_at" IS NOT NULL AND "api_keys"."end_told_at" IS NULL;--> statement-breakpoint
CREATE TABLE `app_grants` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`client_hash` blob NOT NULL,
	`host` text NOT NULL,
	`audience` text NOT NULL,
	`scopes` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_hash` blob NOT NULL,
	`code_challenge` text NOT NULL,
	`code_expires_at` integer NOT NULL,
	`code_used_at` integer,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`ends_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "app_grants_hashes" CHECK(length("app_grants"."client_hash") = 32 AND length("app_grants"."code_hash") = 32),
	CONSTRAINT "app_grants_audience" CHECK("app_grants"."audience" IN ('mcp', 'api')),
	CONSTRAINT "app_grants_scopes" CHECK(json_valid("app_grants"."scopes"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_grants_code` ON `app_grants` (`code_hash`);--> statement-breakpoint
CREATE INDEX `app_grants_ends` ON `app_grants` (`ends_at`);--> statement-breakpoint
CREATE TABLE `app_refresh_tokens` (
	`hash` blob PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`answer` blob,
	FOREIGN KEY (`key_id`) REFERENCES `app_grants`(`key_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "app_refresh_tokens_hash" CHECK(length("app_refresh_tokens"."hash") = 32)
);
--> statement-breakpoint
CREATE INDEX `app_refresh_tokens_key` ON `app_refresh_tokens` (`key_id`);--> statement-breakpoint
CREATE INDEX `app_refresh_tokens_created` ON `app_refresh_tokens` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `device_requests_expires` ON `device_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text,
	`recipient` text NOT NULL,
	`sealed` blob NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mails_user` ON `mails` (`user_id`);--> statement-breakpoint
CREATE INDEX `mails_recipient` ON `mails` (`recipient`);--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`);--> statement-breakpoint
CREATE INDEX `mails_ends` ON `mails` (`ends_at`);--> statement-breakpoint
CREATE INDEX `mails_waiting` ON `mails` (`created_at`,`bytes`);--> statement-breakpoint
CREATE TABLE `owners` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text,
	`organization_id` text,
	`plan` text DEFAULT 'free' NOT NULL,
	`history_bytes` integer DEFAULT 0 NOT NULL,
	`answer_bytes` integer DEFAULT 0 NOT NULL,
	`proposal_bytes` integer DEFAULT 0 NOT NULL,
	`bundle_count` integer DEFAULT 0 NOT NULL,
	`check_links` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`) REFERENCES `organization`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "owners_one" CHECK(("owners"."user_id" IS NULL) <> ("owners"."organization_id" IS NULL)),
	CONSTRAINT "owners_plan" CHECK("owners"."plan" IN ('free', 'pro'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owners_user_id_unique` ON `owners` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `owners_organization_id_unique` ON `owners` (`organization_id`);--> statement-breakpoint
CREATE TABLE `notices` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`bundle_id` integer,
	`kind` text NOT NULL,
	`waiting` text NOT NULL,
	`due_at` integer,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`not_before` integer,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "notices_kind" CHECK("notices"."kind" IN ('proposed', 'decided', 'keyEnds', 'linksBroken')),
	CONSTRAINT "notices_wait" CHECK("notices"."due_at" IS NOT NULL OR "notices"."not_before" IS NOT NULL)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notices_of_bundle` ON `notices` (`user_id`,`bundle_id`,`kind`);--> statement-breakpoint
CREATE UNIQUE INDEX `notices_of_none` ON `notices` (`user_id`,`kind`) WHERE "notices"."bundle_id" IS NULL;--> statement-breakpoint
CREATE INDEX `notices_bundle` ON `notices` (`bundle_id`) WHERE "notices"."bundle_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `notices_due` ON `notices` (`due_at`) WHERE "notices"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `notices_over` ON `notices` (`not_before`) WHERE "notices"."due_at" IS NULL;--> statement-breakpoint
CREATE TABLE `proposals` (
	`id` text PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`base_version` integer NOT NULL,
	`changes` text NOT NULL,
	`reason` text,
	`proposed_by` text,
	`key_id` integer,
	`created_at` integer NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`decided_by` text,
	`decided_at` integer,
	`note` text,
	`version_number` integer,
	`repairs` text,
	`bytes` integer GENERATED ALWAYS AS (octet_length("changes") + coalesce(octet_length("reason"), 0) + coalesce(octet_length("note"), 0) + 512) VIRTUAL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`proposed_by`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`decided_by`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "proposals_id" CHECK("proposals"."id" GLOB 'p_*'),
	CONSTRAINT "proposals_changes" CHECK(json_valid("proposals"."changes")),
	CONSTRAINT "proposals_state" CHECK("proposals"."state" IN ('open', 'accepted', 'rejected', 'withdrawn')),
	CONSTRAINT "proposals_decided" CHECK(("proposals"."state" = 'open') = ("proposals"."decided_at" IS NULL)),
	CONSTRAINT "proposals_accepted" CHECK(("proposals"."state" = 'accepted') = ("proposals"."version_number" IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX `proposals_bundle` ON `proposals` (`bundle_id`,`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `proposals_open` ON `proposals` (`owner_id`,`created_at`) WHERE "proposals"."state" = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_repair` ON `proposals` (`bundle_id`,`repairs`) WHERE "proposals"."repairs" IS NOT NULL AND "proposals"."state" = 'open';--> statement-breakpoint
CREATE INDEX `proposals_repairs_of` ON `proposals` (`owner_id`) WHERE "proposals"."repairs" IS NOT NULL AND "proposals"."state" = 'open';--> statement-breakpoint
CREATE INDEX `proposals_owner` ON `proposals` (`owner_id`,`decided_at`);--> statement-breakpoint
CREATE INDEX `proposals_proposer` ON `proposals` (`proposed_by`);--> statement-breakpoint
CREATE INDEX `proposals_decider` ON `proposals` (`decided_by`);--> statement-breakpoint
CREATE INDEX `proposals_key` ON `proposals` (`key_id`);--> statement-breakpoint
CREATE TABLE `provider_entities` (
	`source` text NOT NULL,
	`entity` text NOT NULL,
	`at` integer NOT NULL,
	`user_id` text,
	PRIMARY KEY(`source`, `entity`),
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "provider_entities_source" CHECK("provider_entities"."source" IN ('identity', 'payment'))
);
--> statement-breakpoint
CREATE INDEX `provider_entities_unlinked` ON `provider_entities` (`at`) WHERE "provider_entities"."user_id" IS NULL;--> statement-breakpoint
CREATE INDEX `provider_entities_user` ON `provider_entities` (`user_id`) WHERE "provider_entities"."user_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `provider_events` (
	`source` text NOT NULL,
	`event_id` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`source`, `event_id`),
	CONSTRAINT "provider_events_source" CHECK("provider_events"."source" IN ('identity', 'payment'))
);
--> statement-breakpoint
CREATE INDEX `provider_events_received` ON `provider_events` (`received_at`);--> statement-breakpoint
CREATE TABLE `bundle_versions` (
	`bundle_id` integer NOT NULL,
	`version_number` integer NOT NULL,
	`bytes` integer DEFAULT 192 NOT NULL,
	`urls` text NOT NULL,
	`url_metadata` text NOT NULL,
	`variables` text DEFAULT '[]' NOT NULL,
	`title` text,
	`description` text,
	`opens_at` text,
	`closes_at` text,
	`closed_note` text,
	`access` text DEFAULT 'link' NOT NULL,
	`copyable` integer DEFAULT false NOT NULL,
	`icons` integer DEFAULT true NOT NULL,
	`resolution_policy` text,
	`urls_part` integer,
	`url_metadata_part` integer,
	`variables_part` integer,
	`description_part` integer,
	`resolution_policy_part` integer,
	`edited_by` text,
	`proposed_by` text,
	`edited_at` integer NOT NULL,
	PRIMARY KEY(`bundle_id`, `version_number`),
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`urls_part`) REFERENCES `version_parts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`url_metadata_part`) REFERENCES `version_parts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`variables_part`) REFERENCES `version_parts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`description_part`) REFERENCES `version_parts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`resolution_policy_part`) REFERENCES `version_parts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bundle_versions_number" CHECK("bundle_versions"."version_number" >= 1),
	CONSTRAINT "bundle_versions_urls" CHECK(json_valid("bundle_versions"."urls") AND json_array_length("bundle_versions"."urls") BETWEEN 1 AND 25)
);
--> statement-breakpoint
CREATE INDEX `bundle_versions_urls_part` ON `bundle_versions` (`urls_part`) WHERE "bundle_versions"."urls_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_url_metadata_part` ON `bundle_versions` (`url_metadata_part`) WHERE "bundle_versions"."url_metadata_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_variables_part` ON `bundle_versions` (`variables_part`) WHERE "bundle_versions"."variables_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_description_part` ON `bundle_versions` (`description_part`) WHERE "bundle_versions"."description_part" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bundle_versions_resolution_policy_part` ON `bundle_versions` (`resolution_policy_part`) WHERE "bundle_versions"."resolution_policy_part" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `version_parts` (
	`id` integer PRIMARY KEY NOT NULL,
	`bundle_id` integer NOT NULL,
	`hash` blob NOT NULL,
	`bytes` integer GENERATED ALWAYS AS (octet_length("content")) STORED,
	`content` text NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `bundles`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "version_parts_hash" CHECK(length("version_parts"."hash") = 32)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `version_parts_content` ON `version_parts` (`bundle_id`,`hash`);--> statement-breakpoint
CREATE TABLE `gone_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `gone_webhooks_at` ON `gone_webhooks` (`at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` text NOT NULL,
	`bundle_id` integer,
	`proposal_id` text,
	`message_id` text NOT NULL,
	`event` text NOT NULL,
	`version_number` integer,
	`receiver_id` integer,
	`event_id` integer,
	`at` integer NOT NULL,
	`due_at` integer,
	`lease` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempted_at` integer,
	`status` integer,
	`failure` text,
	`sent_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`webhook_id`);--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`webhook_id`) WHERE "outbox"."sent_at" IS NULL;--> statement-breakpoint
CREATE INDEX `outbox_finished` ON `outbox` (`webhook_id`) WHERE "outbox"."sent_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_bundle` ON `outbox` (`bundle_id`) WHERE "outbox"."bundle_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_proposal` ON `outbox` (`proposal_id`) WHERE "outbox"."proposal_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_unsent` ON `outbox` (`webhook_id`,`bundle_id`) WHERE "outbox"."sent_at" IS NULL;--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`webhook_id`,`due_at`) WHERE "outbox"."due_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_at` ON `outbox` (`at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` integer NOT NULL,
	`created_by` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret` blob NOT NULL,
	`old_secret` blob,
	`old_secret_until` integer,
	`dropped_at` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer,
	`disabled_by` text,
	FOREIGN KEY (`owner_id`) REFERENCES `owners`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhooks_events" CHECK(json_valid("webhooks"."events") AND json_array_length("webhooks"."events") >= 1),
	CONSTRAINT "webhooks_disabled" CHECK(("webhooks"."disabled_at" IS NULL) = ("webhooks"."disabled_by" IS NULL))
);
--> statement-breakpoint
CREATE INDEX `webhooks_owner` ON `webhooks` (`owner_id`);--> statement-breakpoint
CREATE INDEX `webhooks_creator` ON `webhooks` (`created_by`);--> statement-breakpoint
CREATE INDEX `webhooks_old_secret` ON `webhooks` (`old_secret_until`) WHERE "webhooks"."old_secret_until" IS NOT NULL;