-- Launchers say which organisation they are of.
CREATE TRIGGER organization_renamed AFTER UPDATE OF name ON organization WHEN new.name IS NOT old.name
BEGIN
	INSERT INTO bundle_changes (slug, at)
		SELECT slug, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM bundles
		WHERE owner_id = (SELECT id FROM owners WHERE organization_id = new.id) AND deleted_at IS NULL;
END;
